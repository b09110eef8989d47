// Package logevents writes the reference of the events that the program logs, docs/reference/logs.md, from the
// source and from their meanings (meanings.go). Alerts, filters and runbooks depend on events, so
//
//   - the message is a constant string "component: what happened", which names the event; what varies stands in
//     attributes with constant keys;
//   - an event has one level, wherever it is logged;
//   - a message that is changed is another event: the change stands in CHANGELOG.md.
//
// The tests of the package fail if code logs in another way, if an event has no meaning or a meaning no
// event, and if the page is stale ("make reference" writes it).
package logevents
