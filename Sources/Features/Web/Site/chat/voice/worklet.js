// @ts-nocheck
// Passes on what the microphone hears, 2,048 samples at a time. Runs where sound is made, a world without a page.
registerProcessor("selene-recorder", class extends AudioWorkletProcessor {
  part = new Float32Array(2048);
  count = 0;

  process([[channel]]) {
    for (const value of channel ?? []) {
      this.part[this.count++] = value;
      if (this.count === this.part.length) {
        this.port.postMessage(this.part);
        this.count = 0;
      }
    }
    return true;
  }
});
