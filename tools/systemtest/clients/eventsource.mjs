// eventsource.mjs URL END EVENT…: follows a stream of events, over as many
// connections as it takes, until the event END, or with "" until the server has it
// stop, and prints all that came.
import { EventSource } from "eventsource";

const [url, end, ...names] = process.argv.slice(2);
const source = new EventSource(url);
const events = [];
let opened = 0;
source.onopen = () => opened++;
const stop = () => {
  source.close();
  console.log(JSON.stringify({ opened, events }));
};
for (const name of new Set([...names, ...(end ? [end] : [])])) {
  source.addEventListener(name, (e) => {
    events.push({ name, id: e.lastEventId, data: e.data });
    if (name === end) stop();
  });
}
source.onerror = (e) => {
  if (source.readyState !== source.CLOSED) return;
  if (end) {
    console.error(`the server ended the stream before ${end}: ${e.code} ${e.message}`);
    process.exitCode = 1;
  }
  stop();
};
