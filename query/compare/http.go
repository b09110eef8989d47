package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
	"tapedeck/query/endpoint"
)

// Handler serves the route of comparisons.
type Handler struct {
	*endpoint.Base
	Gate *quota.Gate   // limits concurrent comparisons; nil for no limit
	Wait time.Duration // maximum wait for the gate; 0 means turnWithin
}

// turnWithin is the default of Handler.Wait.
const turnWithin = 20 * time.Second

// Compare serves GET /v1/compare.
func (h Handler) Compare(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, A: p.Text("a"), B: p.Text("b"), Exact: p.Flag("exact"), Brief: p.Flag("brief")}
	q.Steps = p.Number("limit", DefaultSteps, 1, MostSteps)
	q.Row = p.Number("row", -1, 0, 2*MostSteps-1)
	err := p.Done()
	for _, side := range []string{"a", "b"} {
		if err == nil && p.Value(side) == "" {
			err = problem.BadParameter(side, side+" is missing: it names a session to compare.", "the id of a session")
		}
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	answer, err := h.encoded(r, q)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	h.AnswerJSON(w, r, func(to io.Writer) error {
		_, err := answer.WriteTo(to)
		return err
	})
}

// encoded compares two sessions while it holds the gate and returns the encoded answer. It releases
// the gate before the answer is sent, so that a slow client does not delay other comparisons.
func (h Handler) encoded(r *http.Request, q Query) (*bytes.Buffer, error) {
	leave, err := h.Gate.EnterWithin(r.Context(), q.Tenant, cmp.Or(h.Wait, turnWithin))
	if err != nil {
		return nil, err
	}
	defer leave()
	c, err := Read(r.Context(), h.Reader, q)
	if err != nil {
		return nil, err
	}
	var answer bytes.Buffer
	e := json.NewEncoder(&answer)
	e.SetEscapeHTML(false)
	return &answer, e.Encode(c)
}
