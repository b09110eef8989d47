// eventsource.mjs URL END EVENT…: follows a stream of events, over as many
// connections as it takes, until the event END, and prints all that came.
import { EventSource } from "eventsource";

const [url, end, ...names] = process.argv.slice(2);
const source = new EventSource(url);
const events = [];
let opened = 0;
source.onopen = () => opened++;
for (const name of new Set([...names, end])) {
  source.addEventListener(name, (e) => {
    events.push({ name, id: e.lastEventId, data: e.data });
    if (name !== end) return;
    source.close();
    console.log(JSON.stringify({ opened, events }));
  });
}
