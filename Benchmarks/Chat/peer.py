"""A chain over notes as a user of a library writes it, in a process of its own: `langchain` with Chroma, or `llama-index`.

Reads notes from a JSONL file and embeds them. Then it answers one question per line of standard input with a line of
JSON: the milliseconds to the first piece of the answer and to its end, and the number of pieces.
"""
import json
import sys
import time

#: The passages of each contestant have this form, by which the synthetic model finds its answer in them.
PASSAGE = "[{place}] note (undated): {text}"
SYSTEM = ("Answer the question from the numbered passages only. Cite a passage as [n] after each sentence. "
          "If they do not say, say so.")


def langchain(address, notes, passages):
    from langchain_chroma import Chroma
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough
    from langchain_ollama import ChatOllama, OllamaEmbeddings

    store = Chroma(embedding_function=OllamaEmbeddings(model="nomic-embed-text", base_url=address))
    for start in range(0, len(notes), 100):
        store.add_texts(notes[start:start + 100])
    prompt = ChatPromptTemplate.from_messages([("system", SYSTEM), ("human", "{context}\n\nQuestion: {question}")])
    model = ChatOllama(model="llama3.2", base_url=address)

    def numbered(found):
        return "\n\n".join(PASSAGE.format(place=place, text=item.page_content) for place, item in enumerate(found, 1))

    retriever = store.as_retriever(search_kwargs={"k": passages})
    chain = ({"context": retriever | numbered, "question": RunnablePassthrough()} | prompt | model | StrOutputParser())
    return lambda question: (piece for piece in chain.stream(question) if piece)


def llama_index(address, notes, passages):
    from llama_index.core import Document, PromptTemplate, Settings, VectorStoreIndex
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.embeddings.ollama import OllamaEmbedding
    from llama_index.llms.ollama import Ollama

    Settings.embed_model = OllamaEmbedding(model_name="nomic-embed-text", base_url=address, embed_batch_size=100)
    Settings.llm = Ollama(model="llama3.2", base_url=address, request_timeout=60, context_window=8192)
    index = VectorStoreIndex.from_documents([Document(text=note) for note in notes])
    template = PromptTemplate(SYSTEM + "\n\n{context_str}\n\nQuestion: {query_str}")

    class Numbered(BaseNodePostprocessor):
        """Numbers the passages, so that an answer can cite them."""

        def _postprocess_nodes(self, nodes, query_bundle=None):
            return [NodeWithScore(node=TextNode(text=PASSAGE.format(place=place, text=one.node.get_content())), score=one.score)
                    for place, one in enumerate(nodes, 1)]

    engine = index.as_query_engine(streaming=True, similarity_top_k=passages, text_qa_template=template,
                                   node_postprocessors=[Numbered()])
    return lambda question: (piece for piece in engine.query(question).response_gen if piece)


def main():
    kind, address, file, passages = sys.argv[1:]
    with open(file) as lines:
        notes = [json.loads(line)["content"] for line in lines]
    ask = {"langchain": langchain, "llama-index": llama_index}[kind](address, notes, int(passages))
    print("ready", flush=True)
    for line in sys.stdin:
        begin, first, pieces = time.monotonic(), None, 0
        for _ in ask(json.loads(line)):
            pieces += 1
            first = first or time.monotonic()
        print(json.dumps({"first": ((first or begin) - begin) * 1000, "end": (time.monotonic() - begin) * 1000,
                          "pieces": pieces}), flush=True)


if __name__ == "__main__":
    main()
