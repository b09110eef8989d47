package deadletters

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"tapedeck/internal/problem"
)

// listLimit bounds the letters in one response.
const listLimit = 1000

// list is the response to a listing.
type list struct {
	Items []Letter `json:"items"`
	Next  *string  `json:"next"`
}

// ServeList answers GET with the letters, the oldest first.
func (s *Store) ServeList(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, after := 100, uint64(0)
	var err error
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > listLimit {
			problem.Write(w, problem.BadParameter("limit",
				"limit must be a number from 1 to "+strconv.Itoa(listLimit)+", not \""+text+"\""))
			return
		}
	}
	if text := q.Get("cursor"); text != "" {
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			problem.Write(w, problem.BadParameter("cursor", "cursor \""+text+"\" is not one that this list returned"))
			return
		}
	}
	letters, err := s.List(r.Context(), after, limit)
	if err != nil {
		fail(w, err)
		return
	}
	answer := list{Items: letters}
	if len(letters) == limit {
		next := strconv.FormatUint(letters[limit-1].Seq, 10)
		answer.Next = &next
	}
	write(w, answer)
}

// ServeRetry answers POST: it publishes the letters with the given seqs again, or all letters if no
// seq is given.
func (s *Store) ServeRetry(w http.ResponseWriter, r *http.Request) {
	seqs, bad := numbers(r)
	if bad != nil {
		problem.Write(w, bad)
		return
	}
	n, err := s.Retry(r.Context(), seqs...)
	if err != nil {
		fail(w, err)
		return
	}
	write(w, map[string]int{"retried": n})
}

// ServeDrop answers DELETE: it removes the letters with the given seqs permanently.
func (s *Store) ServeDrop(w http.ResponseWriter, r *http.Request) {
	seqs, bad := numbers(r)
	if bad == nil && len(seqs) == 0 {
		bad = problem.BadParameter("seq", "name the letters to drop: seq=1&seq=2")
	}
	if bad != nil {
		problem.Write(w, bad)
		return
	}
	n, err := s.Drop(r.Context(), seqs...)
	if err != nil {
		fail(w, err)
		return
	}
	write(w, map[string]int{"dropped": n})
}

func numbers(r *http.Request) ([]uint64, *problem.Problem) {
	var seqs []uint64
	for _, text := range r.URL.Query()["seq"] {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, problem.BadParameter("seq", "seq \""+text+"\" is not the number of a dead letter")
		}
		seqs = append(seqs, n)
	}
	return seqs, nil
}

func fail(w http.ResponseWriter, err error) {
	if errors.Is(err, ErrNone) {
		problem.Write(w, &problem.Problem{Status: http.StatusNotFound, Detail: err.Error(), Hint: "GET /v1/dead-letters lists the dead letters."})
		return
	}
	problem.Write(w, &problem.Problem{Status: http.StatusBadGateway, Detail: err.Error(), Hint: "/readyz shows the state of NATS."})
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a write error means that the client has disconnected
}
