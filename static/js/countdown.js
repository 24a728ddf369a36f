/* A wait that counts down, on the few pages that ask for one. */
'use strict';
customElements.define('x-countdown', class extends HTMLElement {
  connectedCallback() {
    const end = performance.now() + this.dataset.seconds * 1000, shown = this.querySelector('span');
    this.timer = setInterval(() => {
      const left = Math.ceil((end - performance.now()) / 1000);
      if (left > 0) { shown.textContent = left; return; }
      clearInterval(this.timer);
      this.textContent = '0 s';
      const again = 'reload' in this.dataset && performance.getEntriesByType('navigation')[0]?.type !== 'reload';
      if (again) location.reload();
    }, 250);
  }
  disconnectedCallback() { clearInterval(this.timer); }
});
