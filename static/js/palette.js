/* The palette over any page: a dialog that is fetched when it is first opened. Without it, /search does the same. */
const REMEMBERED = 5, KEY = 'palette';
let dialog, spare; // a line to copy, for when nothing was found
const one = selector => dialog.querySelector(selector);
const lines = () => [...dialog.querySelectorAll('[role=option]')].filter(line => !line.hidden);
const field = () => one('#palette-q');

/* What was chosen last, in this tab and by this person. */
const recent = () => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    return kept?.owner === dialog.dataset.owner ? kept.lines : [];
  } catch { return []; }
};
const remember = line => {
  if (!line.href) return;
  const name = line.querySelector('.name').textContent, icon = line.querySelector('use').getAttribute('href');
  const detail = line.querySelector('.detail')?.textContent || '', href = line.getAttribute('href');
  const kept = [{ href, name, icon, detail }, ...recent().filter(other => other.href !== href)].slice(0, REMEMBERED);
  try { sessionStorage.setItem(KEY, JSON.stringify({ owner: dialog.dataset.owner, lines: kept })); } catch { /* a full or forbidden store forgets */ }
};
const grouped = (name, letter, words) => {
  const group = document.createElement('div'), title = document.createElement('p');
  group.id = `palette-${name}`;
  group.setAttribute('role', 'group');
  group.setAttribute('aria-labelledby', `palette-${letter}`);
  title.id = `palette-${letter}`;
  title.className = 'found-title';
  title.textContent = words;
  group.append(title);
  return group;
};
const copyOf = (pattern, id, name) => {
  const line = pattern.cloneNode(true);
  line.id = id;
  line.querySelector('.name').textContent = name;
  line.querySelectorAll('.detail, .keys-of').forEach(part => part.remove());
  return line;
};
const showRecent = () => {
  one('#palette-recent')?.remove();
  const pattern = one('a[role=option]'), kept = field().value ? [] : recent();
  if (!kept.length || !pattern) return;
  const group = grouped('recent', 'r', 'Recent');
  kept.forEach(({ href, name, icon, detail }, index) => {
    const line = copyOf(pattern, `palette-r-${index}`, name), more = document.createElement('span');
    line.setAttribute('href', href);
    line.querySelector('use').setAttribute('href', icon);
    more.className = 'detail trunc small muted';
    more.textContent = detail;
    line.append(more);
    group.append(line);
  });
  one('#palette-found').prepend(group);
};

/* The verbs of the page one is on: the buttons at its top, and what has a key. */
const showHere = () => {
  one('#palette-here')?.remove();
  const pattern = one('a[role=option]') || spare, words = field().value.toLowerCase().split(/\s+/).filter(Boolean);
  const verbs = new Map([...document.querySelectorAll('main .phead .btn, main .btn[data-key]')]
    .filter(verb => verb.checkVisibility() && verb.ariaDisabled !== 'true')
    .map(verb => [verb.getAttribute('aria-label') || [...verb.childNodes].filter(part => !/kbd|svg/i.test(part.nodeName)).map(part => part.textContent).join(' '), verb])
    .filter(([name]) => name.trim() && words.every(word => name.toLowerCase().includes(word))).slice(0, 8));
  if (!verbs.size || !pattern) return;
  spare = pattern.cloneNode(true);
  const group = grouped('here', 'h', 'On this page');
  [...verbs].forEach(([name, verb], index) => {
    const line = copyOf(pattern, `palette-h-${index}`, name.trim()), icon = verb.querySelector('use')?.getAttribute('href');
    line.removeAttribute('href');
    if (icon) line.querySelector('use').setAttribute('href', icon);
    line.addEventListener('click', () => { dialog.close(); verb.click(); });
    group.append(line);
  });
  const recents = one('#palette-recent');
  recents ? recents.after(group) : one('#palette-found').prepend(group);
};

const choose = line => {
  dialog.querySelectorAll('[aria-selected=true]').forEach(other => other.setAttribute('aria-selected', 'false'));
  line?.setAttribute('aria-selected', 'true');
  line ? field().setAttribute('aria-activedescendant', line.id) : field().removeAttribute('aria-activedescendant');
  line?.scrollIntoView({ block: 'nearest' });
};
const chosen = () => one('[aria-selected=true]:not([hidden])');
const tell = waiting => {
  const count = lines().length;
  one('#palette-none').hidden = waiting || count > 0;
  one('#palette-say').textContent = waiting ? '' : count === 1 ? '1 line' : `${count} lines`;
  field().setAttribute('aria-expanded', String(count > 0));
};
/* Until the server has answered, what is here already is narrowed. */
let pending = false, wanted = false;
const narrow = () => {
  pending = true;
  wanted = false;
  one('#palette-recent')?.remove();
  const words = field().value.toLowerCase().split(/\s+/).filter(Boolean);
  dialog.querySelectorAll('[role=option]').forEach(line => {
    const text = `${line.textContent} ${line.dataset.also || ''}`.toLowerCase();
    line.hidden = !words.every(word => text.includes(word));
  });
  dialog.querySelectorAll('[role=group]').forEach(group => { group.hidden = !group.querySelector('[role=option]:not([hidden])'); });
  const called = line => words.every(word => line.querySelector('.name').textContent.toLowerCase().includes(word));
  choose(lines().find(called) || lines()[0]);
  tell(true);
};
const answered = () => {
  pending = false;
  showRecent();
  showHere();
  choose(lines()[0]);
  tell(false);
  if (wanted) { wanted = false; chosen()?.click(); }
};

const keydown = e => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (step || (e.ctrlKey && /^[np]$/.test(e.key))) {
    e.preventDefault();
    const all = lines(), by = step || (e.key === 'n' ? 1 : -1);
    if (all.length) choose(all[(all.indexOf(chosen()) + by + all.length) % all.length]);
  } else if (e.key === 'Enter' && !e.isComposing) {
    e.preventDefault();
    const line = chosen();
    line ? line.click() : wanted = pending;
  }
};

const prepare = () => {
  dialog = document.getElementById('palette');
  dialog.addEventListener('keydown', keydown);
  dialog.addEventListener('input', narrow);
  dialog.addEventListener('htmx:after:swap', answered);
  dialog.addEventListener('htmx:error', () => { pending = false; tell(false); });
  dialog.addEventListener('click', e => {
    const line = e.target.closest('[role=option]');
    if (!line) return;
    remember(line);
    if (line.href && !e.metaKey && !e.ctrlKey) dialog.close();
  });
  dialog.addEventListener('pointermove', e => {
    const line = e.target.closest('[role=option]');
    if (line && line !== chosen()) choose(line);
  });
};

/* The dialog is over the page, empty or as it was left; pressing the keys again closes it. */
export const open = async early => {
  if (dialog?.isConnected) {
    if (dialog.open) return dialog.close();
  } else {
    await htmx.ajax('GET', '/search', { target: '#confirm', swap: 'afterend', push: 'false' });
    if (!document.getElementById('palette')) return;
    prepare();
  }
  document.querySelectorAll(':popover-open').forEach(menu => menu.hidePopover());
  if (!dialog.open) dialog.showModal();
  field().select();
  answered();
  if (!early.length) return;
  field().value = early.join('');
  field().dispatchEvent(new Event('input', { bubbles: true }));
};
