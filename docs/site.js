// Beside Material's own script: what scrolls can be reached by the keyboard, on phones too, and each copy button has a name.

function label() {
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth && !box.hasAttribute("tabindex")) {
      box.setAttribute("tabindex", "0");
    }
  }
  document.querySelectorAll(".md-code__nav").forEach((nav, index) => {
    nav.setAttribute("aria-label", `Code ${index + 1}`);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  // Material adds the buttons when a block comes into view, and takes `tabindex` away where there is no mouse.
  new MutationObserver(label).observe(document.body, {
    attributeFilter: ["tabindex"],
    childList: true,
    subtree: true,
  });
  label();
});
window.addEventListener("resize", label);
