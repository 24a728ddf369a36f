/* The title says how many wait; with permission the browser tells what happened, also while no one looks. */
'use strict';
{
  const KEY = 'notify', EVERY = 60_000;
  const all = selector => [...document.querySelectorAll(selector)];

  const title = () => {
    const waits = all('.nav .count.hot:not([hidden])').reduce((sum, one) => sum + (Number(one.firstChild.data.replace(/\D/g, '')) || 0), 0);
    const wanted = (waits ? `(${waits}) ` : '') + document.title.replace(/^\(\d+\) /, '');
    if (document.title !== wanted) document.title = wanted;
  };
  title();
  new MutationObserver(title).observe(document.querySelector('title'), { childList: true, characterData: true, subtree: true });
  document.addEventListener('htmx:after:swap', title);

  /* From which moment this browser asks; none: it was not switched on here. */
  const store = {
    get since() { try { return localStorage.getItem(KEY); } catch { return null; } },
    set since(value) { try { value === null ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, value); } catch { /* forbidden */ } },
  };
  const state = () => !('Notification' in window) ? 'missing' : Notification.permission === 'denied' ? 'denied'
    : store.since !== null && Notification.permission === 'granted' ? 'on' : 'off';
  const ask = async () => {
    const before = store.since;
    if (state() !== 'on') return;
    let found;
    try {
      const answer = await fetch(`/notifications?since=${encodeURIComponent(before)}`, { redirect: 'error', headers: { 'X-Unattended': '1' } });
      found = answer.ok && await answer.json();
    } catch { return; /* offline, or signed out */ }
    if (!found || store.since !== before) return; // another tab was quicker, or it was switched off
    store.since = found.since;
    for (const [key, count] of Object.entries(found.counts)) {
      const place = document.getElementById(`count-${key}`);
      if (place) { place.firstChild.data = count.toLocaleString('en'); place.hidden = !count; }
    }
    title();
    for (const one of found.news.slice(0, 5)) {
      const shown = new Notification(one.title, { body: one.text, tag: one.id });
      shown.onclick = () => { focus(); location.href = one.href; };
    }
  };
  setInterval(ask, EVERY);

  const show = () => all('[data-notify-state]').forEach(part => { part.hidden = part.dataset.notifyState !== state(); });
  document.addEventListener('click', async e => {
    const button = e.target.closest?.('[data-notify]');
    if (!button) return;
    if (button.dataset.notify === 'off') store.since = null;
    else if (await Notification.requestPermission() === 'granted') { store.since = ''; await ask(); }
    show();
    document.querySelector('[data-notify-state]:not([hidden]) [data-notify]')?.focus();
  });
  show();
}
