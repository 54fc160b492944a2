// A subset of LaTeX's maths as MathML: letters, numbers, scripts, fractions, roots, sums, Greek, accents, matrices. What
// is not in the subset is shown as its source.

const space = "http://www.w3.org/1998/Math/MathML";
const deepest = 24;
const symbols = /** @type {Record<string, string>} */ (Object.fromEntries(
  ("alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ " +
  "sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω " +
  "infty ∞ partial ∂ nabla ∇ ell ℓ hbar ℏ emptyset ∅ Re ℜ Im ℑ aleph ℵ").split(" ").reduce(pairs, /** @type {[string, string][]} */ ([]))));
const operators = /** @type {Record<string, string>} */ (Object.fromEntries(
  ("cdot · times × div ÷ pm ± mp ∓ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ propto ∝ ll ≪ gg ≫ to → rightarrow → " +
  "leftarrow ← Rightarrow ⇒ Leftarrow ⇐ iff ⇔ implies ⟹ mapsto ↦ in ∈ notin ∉ subset ⊂ subseteq ⊆ supset ⊃ cup ∪ cap ∩ setminus ∖ " +
  "forall ∀ exists ∃ neg ¬ land ∧ lor ∨ wedge ∧ vee ∨ oplus ⊕ otimes ⊗ circ ∘ ast ∗ star ⋆ mid ∣ parallel ∥ perp ⊥ angle ∠ ldots … cdots ⋯ " +
  "dots … vdots ⋮ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ prime ′ lbrace { rbrace } Vert ‖ vert |").split(" ").reduce(pairs, /** @type {[string, string][]} */ ([]))));
const large = /** @type {Record<string, string>} */ ({ sum: "∑", prod: "∏", int: "∫", iint: "∬", oint: "∮", bigcup: "⋃", bigcap: "⋂" });
const named = new Set("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim max min sup inf det dim ker gcd deg arg Pr".split(" "));
const accents = /** @type {Record<string, string>} */ ({ hat: "^", bar: "¯", overline: "¯", vec: "→", tilde: "~", dot: "˙", ddot: "¨" });
const gaps = /** @type {Record<string, string>} */ ({ ",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.3em", quad: "1em", qquad: "2em", "!": "0em" });

/** @param {[string, string][]} list @param {string} word @param {number} index @param {string[]} all @returns {[string, string][]} */
function pairs(list, word, index, all) {
  if (index % 2 === 0) list.push([word, all[index + 1]]);
  return list;
}

/**
 * The formula as a `math` element, or its source as `code`.
 * @param {string} source @param {boolean} isBlock
 */
export function mathML(source, isBlock) {
  try {
    const parser = new Formula(source);
    const row = parser.row(null, 0);
    const math = element("math", [row]);
    if (isBlock) math.setAttribute("display", "block");
    return math;
  } catch {
    const code = document.createElement("code");
    code.textContent = source;
    return code;
  }
}

/** @param {string} name @param {(Node | string)[]} kids */
function element(name, kids) {
  const made = document.createElementNS(space, name);
  made.append(...kids);
  return made;
}

class Formula {
  /** @param {string} source */
  constructor(source) {
    this.tokens = source.match(/\\[A-Za-z]+|\\[^]|\d+(?:\.\d+)?|\s+|[^]/gu) ?? [];
    this.place = 0;
  }

  /** The next token, spaces skipped. */
  peek() {
    while (/^\s/.test(this.tokens[this.place] ?? "")) this.place += 1;
    return this.tokens[this.place];
  }

  next() {
    const token = this.peek();
    this.place += 1;
    return token;
  }

  /**
   * Parts up to one of the ends.
   * @param {string[] | null} ends @param {number} depth
   */
  row(ends, depth) {
    if (depth > deepest) throw new Error("too deep");
    const parts = [];
    for (let token = this.peek(); token !== undefined && !ends?.includes(token); token = this.peek()) {
      parts.push(this.scripts(depth));
    }
    if (ends && this.peek() === undefined) throw new Error("unclosed");
    return parts.length === 1 ? parts[0] : element("mrow", parts);
  }

  /**
   * An atom with what stands above and below it.
   * @param {number} depth
   */
  scripts(depth) {
    const token = this.peek() ?? "";
    const isLarge = token[0] === "\\" && (token.slice(1) in large || token === "\\lim" || token === "\\max" || token === "\\min");
    const base = this.atom(depth);
    let [below, above] = /** @type {(Node | null)[]} */ ([null, null]);
    for (let mark = this.peek(); mark === "_" || mark === "^" || mark === "'"; mark = this.peek()) {
      this.next();
      if (mark === "'") above = above ? element("mrow", [above, element("mo", ["′"])]) : element("mo", ["′"]);
      else if (mark === "_" && !below) below = this.atom(depth + 1);
      else if (mark === "^" && !above) above = this.atom(depth + 1);
      else throw new Error("double script");
    }
    if (below && above) return element(isLarge ? "munderover" : "msubsup", [base, below, above]);
    if (below) return element(isLarge ? "munder" : "msub", [base, below]);
    if (above) return element(isLarge && token !== "\\lim" ? "mover" : "msup", [base, above]);
    return base;
  }

  /** @param {number} depth @returns {Element} */
  atom(depth) {
    if (depth > deepest) throw new Error("too deep");
    const token = this.next();
    if (token === undefined || token === "}" || token === "&" || token === "^" || token === "_" || token === "#" || token === "%") throw new Error("unexpected");
    if (token === "{") {
      const row = this.row(["}"], depth + 1);
      this.next();
      return row;
    }
    if (token[0] === "\\") return this.command(token.slice(1), depth + 1);
    if (/^\d/.test(token)) return element("mn", [token]);
    if (/^\p{L}/u.test(token)) return element("mi", [token]);
    return element("mo", [token === "-" ? "−" : token]);
  }

  /** @param {string} name @param {number} depth @returns {Element} */
  command(name, depth) {
    if (Object.hasOwn(symbols, name)) return element("mi", [symbols[name]]);
    if (Object.hasOwn(operators, name)) return element("mo", [operators[name]]);
    if (Object.hasOwn(large, name)) return element("mo", [large[name]]);
    if (named.has(name)) return element("mi", [name]);
    if (Object.hasOwn(accents, name)) return element("mover", [this.atom(depth), element("mo", [accents[name]])]);
    if (Object.hasOwn(gaps, name)) {
      const gap = element("mspace", []);
      gap.setAttribute("width", gaps[name]);
      return gap;
    }
    if (name === "frac" || name === "dfrac" || name === "tfrac") return element("mfrac", [this.atom(depth), this.atom(depth)]);
    if (name === "sqrt") return this.root(depth);
    if (/^(?:text|mathrm|operatorname|textbf|mathbf|mathit|mathcal|mathbb)$/.test(name)) return this.letters(name);
    if (name === "left") return this.fence(depth);
    if (name === "begin") return this.matrix(depth);
    if ("{}|$%&#_".includes(name)) return element("mo", [name === "|" ? "‖" : name]);
    throw new Error("unknown command");
  }

  /** @param {number} depth */
  root(depth) {
    if (this.peek() !== "[") return element("msqrt", [this.atom(depth)]);
    this.next();
    const index = this.row(["]"], depth);
    this.next();
    return element("mroot", [this.atom(depth), index]);
  }

  /** @param {string} name */
  letters(name) {
    if (this.next() !== "{") throw new Error("expected {");
    let text = "";
    for (let open = 1; ;) {
      const token = this.tokens[this.place];
      this.place += 1;
      if (token === undefined || token[0] === "\\") throw new Error("unexpected");
      if (token === "{") open += 1;
      if (token === "}") open -= 1;
      if (open === 0) break;
      text += token;
    }
    if (name === "mathbb") text = text.replace(/[CNQRZ]/g, (letter) => /** @type {any} */ ({ C: "ℂ", N: "ℕ", Q: "ℚ", R: "ℝ", Z: "ℤ" })[letter]);
    const made = element(name === "text" ? "mtext" : "mi", [text]);
    if (name === "mathbf" || name === "textbf") made.setAttribute("class", "bold");
    if (name === "mathrm" || name === "operatorname") made.setAttribute("mathvariant", "normal");
    return made;
  }

  /** @param {number} depth */
  fence(depth) {
    const bar = () => {
      const token = this.next() ?? "";
      if (token === ".") return "";
      if (token[0] !== "\\") return token;
      return operators[token.slice(1)] ?? token.slice(1);
    };
    const open = bar();
    const inner = this.row(["\\right"], depth);
    this.next();
    const close = bar();
    return element("mrow", [element("mo", [open]), inner, element("mo", [close])]);
  }

  /** @param {number} depth */
  matrix(depth) {
    const kind = this.tokens.slice(this.place).join("").match(/^\{([a-z]+\*?)\}/)?.[1] ?? "";
    const fences = /** @type {Record<string, [string, string]>} */ ({ matrix: ["", ""], pmatrix: ["(", ")"], bmatrix: ["[", "]"],
      vmatrix: ["|", "|"], cases: ["{", ""], aligned: ["", ""], "align*": ["", ""], align: ["", ""] });
    if (!Object.hasOwn(fences, kind)) throw new Error("unknown environment");
    this.skipName();
    const rows = [];
    let cells = [];
    for (;;) {
      cells.push(element("mtd", [this.row(["&", "\\\\", "\\end"], depth)]));
      const token = this.next();
      if (token === "&") continue;
      rows.push(element("mtr", cells));
      cells = [];
      if (token === "\\end") break;
      if (this.peek() === "\\end") { this.next(); break; }
    }
    this.skipName();
    const [open, close] = fences[kind];
    const table = element("mtable", rows);
    return element("mrow", [...(open ? [element("mo", [open])] : []), table, ...(close ? [element("mo", [close])] : [])]);
  }

  skipName() {
    while (this.tokens[this.place] !== undefined && this.tokens[this.place] !== "}") this.place += 1;
    this.place += 1;
  }
}
