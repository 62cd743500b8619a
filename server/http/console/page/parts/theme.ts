import { effect, signal } from '@preact/signals';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
const NAME = 'gateway-theme';

/** auto: what the system says. The choice is kept for the next visit. */
export const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(NAME)) ?? 'auto');

effect(() => {
  if (theme.value === 'auto') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(NAME);
  } else {
    document.documentElement.dataset.theme = theme.value;
    localStorage.setItem(NAME, theme.value);
  }
});

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto';
}
