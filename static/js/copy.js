/* Copies the code beside a button, or the text of a task before its link opens: fetched when one is first pressed. */
export const copy = async button => {
  const code = button.closest('.code, .copy, .task-list > li').querySelector('code, .task-text'), label = button.querySelector('span');
  try { await navigator.clipboard.writeText(code.textContent); }
  catch { getSelection().selectAllChildren(code); document.execCommand('copy'); }
  const before = label.dataset.before ||= label.textContent;
  label.textContent = 'Copied';
  setTimeout(() => { label.textContent = before; }, 2000);
  if (button.href) open(button.href, '_blank', 'noopener');
};
