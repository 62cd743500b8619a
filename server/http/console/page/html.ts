import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';

/** Markup as a template: what stands in `${}` becomes text or a property, never markup. */
export const html = (htm as unknown as typeof htm.default).bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

/** What may stand between two tags. */
export type Children = ComponentChildren;
