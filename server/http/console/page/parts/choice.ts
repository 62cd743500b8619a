import { html } from '../html.ts';

interface ChoiceProps<Value extends string> {
  name: string;
  legend: string;
  /** The legend is for screen readers alone. */
  hidden?: boolean;
  options: Readonly<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
}

/** A few words to choose one of, side by side; arrow keys move between them. */
export function Choice<Value extends string>({ name, legend, hidden = false, options, value, onChange }: ChoiceProps<Value>) {
  return html`<fieldset class="choice-field">
    <legend class=${hidden ? 'sr' : 'legend'}>${legend}</legend>
    <div class="choice">
      ${(Object.keys(options) as Value[]).map(
        (option) => html`<label key=${option} class=${option.toLowerCase()}>
          <input type="radio" name=${name} value=${option} checked=${option === value} onChange=${() => onChange(option)} /><span>${options[option]}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}
