// Package notify sends alerts to the targets that the operator named. Each event is sent until the target has taken it,
// for a bounded time, and may arrive more than once, with the same id.
package notify

import (
	"context"

	"tapedeck/query/alerts/evaluate"
)

// Target receives alerts. It is safe for use by many goroutines.
type Target interface {
	// Name names the target in logs and metrics, without what may be secret.
	Name() string
	// ID identifies the target among others. It may hold a secret.
	ID() string
	// Send sends an event once. It returns nil if the target has taken it.
	Send(context.Context, Event) error
	// Close closes idle connections.
	Close()
}

// Event is what happened to an alert. Its JSON is the body of a webhook's request.
type Event struct {
	// ID is the same whenever the event is sent.
	ID     string          `json:"id"`
	Type   Type            `json:"type"`
	Tenant string          `json:"tenant"`
	Alert  *evaluate.Alert `json:"alert"`
}

// Type is what happened to an alert.
type Type string

// The types of events.
const (
	Began Type = "alert.began"
	Ended Type = "alert.ended"
)

// EventOf returns the event of an alert as it is.
func EventOf(a *evaluate.Alert) Event {
	t := Began
	if a.Ended != nil {
		t = Ended
	}
	return Event{ID: a.ID + ":" + string(t), Type: t, Tenant: a.Tenant, Alert: a}
}
