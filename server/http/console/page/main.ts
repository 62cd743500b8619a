import { h, render } from 'preact';
import { App } from './app.ts';
import { resumeIntents } from './state/intents.ts';

resumeIntents();
render(h(App, {}), document.body);
