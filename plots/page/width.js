// SPDX-License-Identifier: Apache-2.0
// Drawings are as wide as the page.

// Calls `draw` once the page's width has changed and rests; a change of its height alone, as a phone's bars make
// while one scrolls, moves nothing. Until then the body says that it is `resizing`.
function whenWidthChanges(draw) {
  let drawn = innerWidth;
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    if (innerWidth === drawn) {
      delete document.body.dataset.resizing;
      return;
    }
    document.body.dataset.resizing = "yes";
    timer = setTimeout(() => {
      drawn = innerWidth;
      delete document.body.dataset.resizing;
      draw();
    }, 150);
  });
}
