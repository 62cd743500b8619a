/** Places orders over HTTP without end and says each order id it was given; its parent kills it. */
import { marketOrder, startPractice } from './started.ts';

const [dataDir = ''] = process.argv.slice(2);
const here = await startPractice({ dataDir, transitMs: [0, 5] });
here.faults.plant({
  kind: 'partialFills',
  probability: 0.5,
  plan: [
    { quantity: 3, afterMs: 0 },
    { quantity: 'rest', afterMs: 400 },
  ],
});
for (let index = 0; ; index++) {
  const side = index % 2 === 0 ? 'BUY' : 'SELL';
  const { text } = await here.place({ ...marketOrder, transaction_type: side, tag: `t${index}` });
  process.stdout.write(`${JSON.parse(text).data.order_id}\n`);
}
