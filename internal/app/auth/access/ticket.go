package access

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// TicketLife is how long a ticket may be used.
	TicketLife = 30 * time.Second
	// TicketPrefix is the prefix of the text of every ticket.
	TicketPrefix = "tdt_"
	ticketBucket = "TAPEDECK_TICKETS"
	ticketMost   = 100_000
)

// Ticket authenticates one request of a principal whose client cannot set header fields.
type Ticket struct {
	Kind   Kind   `json:"kind"` // of the principal
	ID     string `json:"id"`   // of the credential that requested it
	Path   string `json:"path"` // the path that it opens, by GET
	Tenant string `json:"tenant"`
}

// Tickets creates and redeems tickets.
type Tickets struct{ once *Once }

// NewTickets returns the tickets of a NATS connection.
func NewTickets(nc *nats.Conn, replicas int) (*Tickets, error) {
	o, err := NewOnce(OnceOptions{NATS: nc, Bucket: ticketBucket, Prefix: TicketPrefix, Replicas: replicas,
		Life: TicketLife, Most: ticketMost})
	if err != nil {
		return nil, err
	}
	return &Tickets{o}, nil
}

// Make returns the text of a new ticket, and until when it may be used.
func (t *Tickets) Make(ctx context.Context, ticket Ticket) (string, time.Time, error) {
	return t.once.Put(ctx, ticket)
}

// Take redeems a ticket. It returns ErrTaken for a ticket that was used before.
func (t *Tickets) Take(ctx context.Context, text string) (Ticket, error) {
	var ticket Ticket
	return ticket, t.once.Take(ctx, text, &ticket)
}
