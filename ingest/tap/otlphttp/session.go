package otlphttp

import (
	"errors"
	"fmt"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/otlp"
	"tapedeck/internal/otlpwire"
	"tapedeck/internal/problem"
)

// part is what one session receives of a request.
type part struct {
	session string
	service string // "service.name" of the resource of its first item
	data    []byte // an export request
	items   int
	at      int64 // the latest end of an item, ns; 0 if no item has a possible time

	rejected bool // the session was not recorded
}

const (
	// maxSessions bounds the sessions of a request.
	maxSessions = 1024
	// maxGrowth bounds how much a request may grow when it is divided, since resources and scopes
	// are repeated in each part.
	maxGrowth = 4
	// futureLimit allows for clocks that are wrong.
	futureLimit = 24 * time.Hour
)

// divide divides a request by sessions. The request is not changed if all of it is of one session.
// traces has the sessions that items name, by their traces.
func (h *Handler) divide(data []byte, e *otlpwire.Export, tenant string) (parts []part, traces map[string]string, bad *problem.Problem) {
	names, traces := h.nameSessions(e, tenant)
	latest := time.Now().Add(futureLimit).UnixNano()
	var resources otlp.Namer
	known := map[string]int{}
	of := make(map[*otlpwire.Item]int, len(names))
	e.All(func(g *otlpwire.Group, _ *otlpwire.Scope, item *otlpwire.Item) {
		session := names[item]
		i, ok := known[session]
		if !ok {
			i = len(parts)
			known[session] = i
			parts = append(parts, part{session: session, service: resources.Service(g)})
		}
		of[item] = i
		parts[i].items++
		if item.Timed() && item.End <= latest {
			parts[i].at = max(parts[i].at, item.End)
		}
	})
	if len(parts) > maxSessions {
		return nil, nil, tooLarge(fmt.Sprintf("the request has items of %d sessions, more than %d", len(parts), maxSessions))
	}
	if len(parts) == 1 {
		parts[0].data = data
		return parts, traces, nil
	}
	divided, err := e.Divide(data, len(parts), maxGrowth*max(len(data), chargedFrom), func(item *otlpwire.Item) int { return of[item] })
	if grown, ok := errors.AsType[*otlpwire.GrowthError](err); ok {
		return nil, nil, tooLarge(fmt.Sprintf("divided by its %d sessions the request has %d bytes, more than %d, since each has the attributes of the resource",
			len(parts), grown.Size, grown.Limit))
	}
	if err != nil {
		return nil, nil, badRequest(err.Error() + ".")
	}
	for i := range parts {
		parts[i].data = divided[i]
	}
	return parts, traces, nil
}

// remember keeps the sessions of traces of a request that is durable.
func (h *Handler) remember(tenant string, traces map[string]string, parts []part) {
	recorded := make(map[string]bool, len(parts))
	for i := range parts {
		recorded[parts[i].session] = !parts[i].rejected
	}
	for trace, session := range traces {
		if recorded[session] {
			h.traces.add(tenant, trace, session)
		}
	}
}

// nameSessions returns the session of each item: the one that its attributes or those of its
// resource name; else the one that its trace has; else the trace. Records of no trace have a
// session for each service. ofTrace has the sessions that items name, by their traces.
func (h *Handler) nameSessions(e *otlpwire.Export, tenant string) (names map[*otlpwire.Item]string, ofTrace map[string]string) {
	names = make(map[*otlpwire.Item]string, e.Count())
	ofTrace = map[string]string{}
	var named otlp.Namer
	e.All(func(g *otlpwire.Group, _ *otlpwire.Scope, item *otlpwire.Item) {
		name := named.Session(g, item)
		if name == "" {
			return
		}
		names[item] = ingest.SessionID(name)
		if item.TraceID != "" && ofTrace[item.TraceID] == "" {
			ofTrace[item.TraceID] = names[item]
		}
	})
	e.All(func(g *otlpwire.Group, _ *otlpwire.Scope, item *otlpwire.Item) {
		if names[item] != "" {
			return
		}
		switch {
		case item.TraceID == "":
			names[item] = ingest.SessionID("otlp " + named.Service(g))
		default:
			name := ofTrace[item.TraceID]
			if name == "" {
				name = h.traces.find(tenant, item.TraceID)
			}
			if name == "" {
				name = item.TraceID
			}
			names[item] = name
		}
	})
	return names, ofTrace
}
