/* Charts: hover or arrow keys read one day. */
'use strict';
customElements.define('x-chart', class extends HTMLElement {
  connectedCallback() {
    const days = [...this.querySelectorAll('.day')], say = this.parentElement.querySelector('.readout');
    const read = at => {
      days.forEach((day, index) => day.classList.toggle('on', index === at));
      say.textContent = days[at]?.dataset.say || '';
      this.at = at;
    };
    this.at = days.length;
    this.addEventListener('pointermove', e => { const day = e.target.closest('.day'); if (day) read(days.indexOf(day)); });
    this.addEventListener('pointerleave', () => read(-1));
    this.addEventListener('blur', () => read(-1));
    this.addEventListener('keydown', e => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!by) return;
      e.preventDefault();
      read(Math.max(0, Math.min(days.length - 1, (this.at < 0 ? days.length : this.at) + by)));
    });
  }
});
