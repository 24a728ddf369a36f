/* A click on a row opens what it is about. Everyone whom a filter finds is picked: the count says so, until a row is left out again. */
'use strict';
{
  const say = bulk => {
    const everyone = bulk.querySelector('[data-everyone]');
    if (everyone?.checked) bulk.querySelectorAll('[data-picked]').forEach(place => { place.textContent = `${everyone.dataset.everyone} selected`; });
  };
  document.addEventListener('click', e => {
    const bulk = e.target.closest?.('x-bulk');
    const everyone = bulk?.querySelector('[data-everyone]');
    if (!everyone) return;
    if (e.target.matches('[data-none]') || (e.target.matches('.pick input') && !e.target.checked)) everyone.checked = false;
    if (e.target !== everyone) return say(bulk);
    bulk.querySelectorAll('.pick input').forEach(box => { box.checked = everyone.checked; box.indeterminate = false; });
    const rows = bulk.querySelectorAll('.pick input:not([data-all]):checked').length;
    rows ? bulk.dataset.count = rows : delete bulk.dataset.count;
    bulk.querySelectorAll('[data-picked]').forEach(place => { place.textContent = `${rows} selected`; });
    say(bulk);
  });
  document.addEventListener('htmx:after:swap', () => document.querySelectorAll('x-bulk').forEach(bulk => { // rows that came with scrolling
    if (!bulk.querySelector('[data-everyone]')?.checked) return;
    bulk.querySelectorAll('.pick input').forEach(box => { box.checked = true; });
    say(bulk);
  }));
  document.addEventListener('click', e => {
    const row = e.target.closest('tbody tr');
    if (row && !e.target.closest('a, button, input, label, .pick, .menu') && getSelection().isCollapsed) row.querySelector('.key a')?.click();
  });
}
