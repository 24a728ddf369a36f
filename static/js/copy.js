/* Copies the code beside a button: fetched when one is first pressed. */
export const copy = async button => {
  const code = button.closest('.code, .copy').querySelector('code'), label = button.querySelector('span');
  try { await navigator.clipboard.writeText(code.textContent); }
  catch { getSelection().selectAllChildren(code); document.execCommand('copy'); }
  const before = label.dataset.before ||= label.textContent;
  label.textContent = 'Copied';
  setTimeout(() => { label.textContent = before; }, 2000);
};
