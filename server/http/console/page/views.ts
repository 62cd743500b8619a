import type { ComponentType } from 'preact';

/** A view: its address, its name in the navigation, the letter that opens it after g, and the file that draws it, read when it is opened first. */
export interface View {
  id: string;
  title: string;
  key: string;
  load: () => Promise<{ View: ComponentType }>;
}

export const views: readonly View[] = [
  { id: 'positions', title: 'Positions', key: 'p', load: () => import('./views/positions.ts') },
  { id: 'orders', title: 'Orders', key: 'o', load: () => import('./views/orders.ts') },
  { id: 'ticket', title: 'Ticket', key: 't', load: () => import('./views/ticket.ts') },
  { id: 'charts', title: 'Charts', key: 'c', load: () => styled('/console/lib/uplot.css', import('./views/charts.ts')) },
  { id: 'events', title: 'Events', key: 'e', load: () => import('./views/events.ts') },
  { id: 'session', title: 'Session', key: 's', load: () => import('./views/session.ts') },
  { id: 'users', title: 'Users', key: 'u', load: () => import('./views/users.ts') },
  { id: 'alerts', title: 'Alerts', key: 'a', load: () => import('./views/alerts.ts') },
];

/** A view with the stylesheet that it alone needs, worn before it is drawn. */
async function styled<Loaded>(href: string, view: Promise<Loaded>): Promise<Loaded> {
  if (!document.querySelector(`link[href="${href}"]`)) {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
    document.head.append(link);
    await new Promise((resolve) => {
      link.onload = resolve;
      link.onerror = resolve;
    });
  }
  return await view;
}
