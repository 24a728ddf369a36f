/* What the pages do beyond htmx; all of it also works without. */
'use strict';
{
  const one = (selector, root = document) => root.querySelector(selector);
  const typed = field => field.dispatchEvent(new Event('input', { bubbles: true }));
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const on = (type, act, options) => document.addEventListener(type, act, options);
  /* Calls act(element, event) for events in an element that matches. */
  const within = (type, selector, act) => on(type, e => {
    const found = e.target.closest?.(selector);
    if (found) act(found, e);
  });

  /* ── htmx ── */
  on('htmx:config:request', e => {
    const request = e.detail.ctx.request;
    if (!/^(GET|HEAD)$/i.test(request.method)) request.headers['X-CSRF-Token'] = one('meta[name=csrf]').content;
  });
  /* No one looks: no polls. A poll's answer is old when something else was asked meanwhile. */
  const POLL = '[hx-trigger^="every"]', begun = new WeakMap();
  let others = 0;
  on('htmx:before:request', e => {
    if (!e.target.matches?.(POLL)) others += 1;
    else if (document.hidden) e.preventDefault();
    else begun.set(e.detail.ctx, others);
  });
  on('htmx:finally:request', e => { others += !begun.has(e.detail.ctx); });
  on('htmx:before:swap', e => { if ((begun.get(e.detail.ctx) ?? others) !== others) e.preventDefault(); });
  /* After a change, the navigation asks what waits: at most every two seconds. */
  let asked = -Infinity, asks;
  on('htmx:after:swap', e => {
    const bar = one('.sidebar');
    if (!bar || asks || e.detail.ctx?.sourceElement === bar) return;
    asks = true;
    setTimeout(() => {
      asks = false;
      asked = performance.now();
      bar.dispatchEvent(new Event('stale'));
    }, Math.max(0, asked + 2000 - performance.now()));
  });
  on('htmx:confirm', e => {
    const question = e.target.getAttribute?.('hx-confirm');
    if (!question) return;
    e.preventDefault();
    const dialog = one('#confirm');
    one('p', dialog).textContent = question;
    one('[value=yes]', dialog).textContent = e.target.dataset.confirmLabel || 'Continue';
    dialog.returnValue = '';
    dialog.addEventListener('close', () => dialog.returnValue === 'yes' ? e.detail.issueRequest(true) : e.detail.dropRequest?.(), { once: true });
    dialog.showModal();
  });
  on('htmx:response:error', e => {
    const { status, headers } = e.detail.ctx.response || {};
    coming = null;
    if (status === 401) leave({ ended: true });
    if (status < 500) return;
    const wait = Number(headers?.get?.('Retry-After'));
    toast('The service is busy. Nothing was lost. ' + (wait ? `Try again in ${wait} s.` : 'Try again in a moment.'));
  });
  on('htmx:error', e => {
    if (!e.detail.ctx?.response && e.detail.error?.name !== 'AbortError' && navigator.onLine && !e.target.matches?.(POLL))
      toast('The server did not respond. Nothing was lost. Try again in a moment.');
  });

  /* ── messages ── */
  const toast = (text, tone = 'danger') => {
    const copy = one('#toast-model').content.firstElementChild.cloneNode(true);
    copy.classList.replace('danger', tone);
    one('span', copy).textContent = text;
    one('#toasts').append(copy);
  };
  within('click', '[data-close]', button => button.closest('.toast').remove());
  on('animationend', e => { if (e.animationName === 'leave') e.target.remove(); });
  within('click', '[aria-disabled=true][data-reason]', (button, e) => { e.preventDefault(); toast(button.dataset.reason, 'info'); });
  const line = () => { const bar = one('#offline'); if (bar) bar.hidden = navigator.onLine; };
  addEventListener('online', line);
  addEventListener('offline', line);

  /* ── dialogs: what browsers lack of them, and those the server sends open ── */
  if (!('commandForElement' in HTMLButtonElement.prototype)) within('click', '[commandfor]', button => {
    const dialog = document.getElementById(button.getAttribute('commandfor'));
    button.getAttribute('command') === 'close' ? dialog.close() : dialog.showModal();
  });
  if (!('closedBy' in HTMLDialogElement.prototype)) on('click', e => { if (e.target.matches('dialog')) e.target.close(); });
  within('htmx:before:swap', '#again dialog', dialog => dialog.remove());
  const openDialogs = () => all('dialog[open]:not(:modal)').forEach(dialog => { dialog.close(); dialog.showModal(); });

  /* ── what was typed and picked is there again after Reload, Back and signing in, no secrets; leaving a long form asks ── */
  const SECRET = '[type=password], [type=file], [type=hidden], [autocomplete=one-time-code], .reveal *';
  const SCROLLERS = 'main div, main section';
  const fields = () => all('main :is(input, textarea, select)').filter(field => field.name && !field.matches(SECRET));
  const ticked = field => field.matches('[type=checkbox], [type=radio]');
  const named = () => { // ids of a form that is made anew differ
    const before = Object.create(null);
    return fields().map(field => {
      const name = [field.form?.getAttribute('action') ?? field.id, field.name, ticked(field) && field.value].join();
      return [name + (before[name] = (before[name] || 0) + 1), field];
    });
  };
  const changed = field => field.options ? [...field.options].some(each => each.selected !== each.defaultSelected)
    : ticked(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
  const MORE = '.more > a[hx-get]';
  const present = () => ({
    pages: coming?.pages || Object.fromEntries(all('[data-pages]').map(part => [part.id, part.dataset.pages])),
    typed: Object.fromEntries(named().filter(([, field]) => changed(field)).map(([name, field]) => [name, ticked(field) ? field.checked : field.value])),
    top: scrollY,
    tops: all(SCROLLERS).flatMap((part, at) => part.scrollTop ? [[at, part.className, part.scrollTop]] : []),
  });
  on('htmx:before:swap', e => {
    const link = e.detail.ctx.sourceElement, part = link?.matches?.(MORE) && link.closest('[id]');
    if (part) part.dataset.pages = Number(part.dataset.pages || 1) + 1;
  });
  let coming, more; // a list is loaded as far as it was, then scrolled
  const bring = kept => {
    restore(kept);
    coming = kept;
    load();
  };
  const load = () => {
    if (more?.isConnected || !coming) return;
    more = Object.entries(coming.pages || {}).map(([id, pages]) => {
      const part = document.getElementById(id);
      return part && (part.dataset.pages || 1) < pages && one(MORE, part);
    }).find(Boolean);
    if (more) return more.click();
    if (Object.keys(coming.pages || {}).length) restore(coming);
    coming = null;
  };
  const restore = kept => {
    named().forEach(([name, field]) => {
      const value = kept?.typed?.[name];
      if (value !== undefined) field[ticked(field) ? 'checked' : 'value'] = value;
    });
    all('x-bulk').forEach(count);
    document.dispatchEvent(new Event('restored'));
    if (kept?.top) scrollTo(0, kept.top);
    const parts = kept?.tops?.length ? all(SCROLLERS) : [];
    kept?.tops?.forEach(([at, name, top]) => { if (parts[at]?.className === name) parts[at].scrollTop = top; });
  };
  const keep = () => { try { history.replaceState({ htmx: true, ...history.state, ...present() }, ''); } catch { /* too much, or too often */ } };
  for (const end of ['beforeunload', 'pagehide']) addEventListener(end, e => {
    keep();
    if (one('[data-unsent]')) e.preventDefault();
  });
  on('htmx:before:history:update', keep);
  let popped;
  addEventListener('popstate', e => { popped = e.state; });
  const leave = more => { // nothing after signing out
    if (one('.app')) try {
      more ? sessionStorage.setItem('left', JSON.stringify({ path: location.pathname, ...present(), ...more })) : sessionStorage.clear();
    } catch { /* full or forbidden */ }
  };
  const arrive = () => {
    let left;
    try {
      left = JSON.parse(sessionStorage.getItem('left'));
      if (one('.app')) sessionStorage.removeItem('left');
      else if (left) return sessionStorage.setItem('left', JSON.stringify({ ...left, ended: true })); // signing in comes first
    } catch { /* forbidden */ }
    requestAnimationFrame(() => {
      if (left?.path !== location.pathname) return bring(history.state);
      if (left.ended) return bring(left);
      if (one('[autofocus]')) return;
      bring({ ...left, typed: {} });
      if (document.activeElement !== document.body) return;
      const button = one('.queue a') || all('main button')[left.at];
      (button?.checkVisibility() ? button : one('#main')).focus({ preventScroll: true });
    });
  };

  /* ── forms ── */
  on('submit', e => { // a plain form is sent once, and its button turns
    const form = e.target;
    delete form.dataset.unsent;
    if (form.method !== 'post' || form.matches('[hx-post]')) return;
    if (form.dataset.sent) return e.preventDefault();
    form.dataset.sent = 1;
    leave(!form.dataset.out && { at: all('main button').indexOf(e.submitter) });
    e.submitter?.classList.add('htmx-request');
    setTimeout(rest, 5000);
  });
  const rest = () => all('form[data-sent]').forEach(form => {
    delete form.dataset.sent;
    all('.htmx-request', form).forEach(button => button.classList.remove('htmx-request'));
  });
  addEventListener('pageshow', e => { if (e.persisted) rest(); });
  within('click', '[data-reveal]', button => {
    const field = document.getElementById(button.dataset.reveal), shown = field.type === 'password';
    field.type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', shown);
    const use = one('use', button);
    use.setAttribute('href', use.getAttribute('href').replace(/#.*/, shown ? '#eye-off' : '#eye'));
  });
  within('input', '[data-limit]', field => {
    if (field.dataset.counted && /[{|\\]/.test(field.value)) return; // the preview says how long it can become
    const counter = one(`[data-count-for="${field.id}"]`), length = [...field.value].length;
    counter.textContent = counter.textContent.replace(/^\d+/, length);
    counter.classList.toggle('over', length > field.dataset.limit);
  });
  within('click', '[data-insert]', button => {
    const field = document.getElementById(button.dataset.into);
    field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, 'end');
    typed(field);
    field.focus();
  });
  within('click', '[data-copy]', (button, e) => { // a link opens once its text is copied
    if (button.href) e.preventDefault();
    import(button.dataset.copy).then(module => module.copy(button));
  });

  /* ── picked rows ── */
  let last;
  const count = bulk => {
    const boxes = all('.pick input:not([data-all])', bulk), picked = boxes.filter(box => box.checked).length, every = one('[data-all]', bulk);
    picked ? bulk.dataset.count = picked : delete bulk.dataset.count;
    all('[data-picked]', bulk).forEach(place => { place.textContent = `${picked} selected`; });
    if (every) { every.checked = picked > 0 && picked === boxes.length; every.indeterminate = picked > 0 && picked < boxes.length; }
  };
  within('click', 'x-bulk .pick input', (box, e) => {
    const bulk = box.closest('x-bulk'), boxes = all('.pick input:not([data-all])', bulk);
    if ('all' in box.dataset) boxes.forEach(other => { other.checked = box.checked; });
    else if (e.shiftKey && boxes.includes(last)) {
      const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
      boxes.slice(from, to + 1).forEach(other => { other.checked = box.checked; });
    }
    last = box;
    count(bulk);
  });
  within('click', '[data-none]', button => {
    const bulk = button.closest('x-bulk');
    all('.pick input', bulk).forEach(box => { box.checked = false; });
    count(bulk);
  });

  /* ── search comes when first wanted ── */
  const palette = link => {
    const early = [];
    const keep = e => {
      if (e.key.length > 1 || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      e.stopPropagation();
      early.push(e.key);
    };
    addEventListener('keydown', keep, true);
    import(link.dataset.palette).then(module => module.open(early)).catch(() => location.assign(link.href)).finally(() => removeEventListener('keydown', keep, true));
  };
  within('click', '[data-palette]', (link, e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    palette(link);
  });

  /* ── keys ── */
  let going = 0, idle = 0;
  const typing = target => target.matches?.('input:not([type=checkbox],[type=radio],[type=submit]), textarea, select, [contenteditable]');
  const step = by => {
    const links = all('main .key a, main .row-link a, .queue h3 a, .queue p[tabindex]').filter(link => link.checkVisibility());
    const focused = links.findIndex(link => link.closest('[role=row], .row-link, .queue li')?.contains(document.activeElement));
    const here = focused < 0 ? links.findIndex(link => link.closest('[aria-current]')) : focused; // else from the open one
    const next = links[Math.max(0, Math.min(links.length - 1, here + by))];
    next?.focus();
    if (next && 'opens' in next.dataset) next.click(); // what keys act on is what is open
    return next;
  };
  addEventListener('keydown', e => { // before the scripts of single pages
    if (idle < e.timeStamp || e.key.length > 1 || e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return;
    idle = e.timeStamp + 1000;
    e.stopImmediatePropagation();
  }, true);
  on('keydown', e => {
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if ((e.ctrlKey || e.metaKey) && key === 'Enter' && e.target.form) { e.preventDefault(); return e.target.form.requestSubmit(); }
    if ((e.ctrlKey || e.metaKey) && key === 'k' && one('[data-palette]')) { e.preventDefault(); return palette(one('[data-palette]')); }
    if (key === 'Escape' && e.target.matches('input[type=search], textarea[data-key]')) {
      e.target.blur();
      return one('h1[tabindex]', e.target.closest('section') || document)?.focus();
    }
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !('keys' in document.body.dataset)) return;
    if (typing(e.target) || one('dialog[open], :popover-open')) return;
    if (going > e.timeStamp) {
      going = 0;
      return one(`[data-go="${CSS.escape(key)}"]`)?.click();
    }
    if (key === 'g') { going = e.timeStamp + 1000; return; }
    if (key === '?') return one('#keys').showModal();
    if ((key === 'j' || key === 'k') && step(key === 'j' ? 1 : -1)) return;
    if (key === 'x') return one('.pick input', e.target.closest('[role=row]') || document.createElement('i'))?.click();
    // a closed menu's keys work while its button is seen
    const found = all(`[data-key="${CSS.escape(key)}"]`).findLast(each => each.ariaDisabled !== 'true'
      && (one(`[popovertarget="${each.closest('.menu')?.id}"]`) || each).checkVisibility());
    /* A key without a meaning begins a text. */
    if (!found) { if (key.length === 1 && !e.repeat) idle = e.timeStamp + 1000; return; }
    e.preventDefault();
    if (typing(found)) { found.focus(); found.select?.(); } else found.click();
  });

  /* ── what had the focus hands it on to what replaced it ── */
  let place = [];
  const reachable = part => all('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]:not(.table-wrap)', part);
  on('htmx:before:swap', () => {
    const focused = document.activeElement;
    if (focused !== document.body) place = []; // else another answer may just have taken it
    for (let part = focused, within; (within = part?.parentElement); part = within)
      place.push({ part, within, at: [...within.children].indexOf(part), focused });
  });
  const refocus = () => {
    const held = document.activeElement, places = place.splice(0);
    if (held && held !== document.body && !held.disabled) return;
    const { part, within, at, focused } = places.find(each => each.within.isConnected && each.within !== document.documentElement) || {};
    if (!part) return;
    const next = within.children[at] || within, number = reachable(part).indexOf(focused), free = each => each.checkVisibility() && !each.disabled;
    const found = next.matches('a, button, input') && free(next) ? next
      : reachable(next).slice(Math.max(0, number)).find(free) || reachable(next).find(free) || reachable(within).find(free);
    (found || one('#main'))?.focus({ preventScroll: true });
  };

  /* ── at the start, and after htmx changed the page ── */
  const settle = () => {
    openDialogs();
    all('details:has([aria-invalid])').forEach(fold => { fold.open = true; one('[autofocus]', fold)?.focus(); });
    refocus();
    all('x-bulk').forEach(count);
    load();
    if (popped) bring(popped);
    popped = null;
  };
  on('htmx:after:swap', settle);
  on('DOMContentLoaded', () => {
    window.htmx?.process(document.body); // else it hears nothing that is typed until a little later
    fields().filter(changed).forEach(typed); // before the scripts came
    within('input', 'form:has(textarea):not(:has(textarea[hx-post]))', form => { form.dataset.unsent = 1; });
    settle();
    arrive();
    line();
    all('[data-timezone]').forEach(field => { field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone; });
  });
}
