package server

import (
	"context"
	"errors"
	"io"
	"net/http"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/budget"
	"tapedeck/query"
	"tapedeck/query/billing/bills"
	queryhttp "tapedeck/query/http"
	"tapedeck/replay"
	"tapedeck/replay/tapefile/tapeexport"
	"tapedeck/schema/lifecycle/tombstone"
)

// bills returns the store of bills, which uses the decoder to compare bills with frames.
func (s *Server) bills(reader *query.Reader, decoder *redecode.Redecoder) *bills.Store {
	heads := bills.KeyValueHeads{NATS: s.Node.NATS, Replicas: s.Node.Streams.Replicas}
	decode := func(ctx context.Context, tenant, session string) ([]bills.Decoded, error) {
		if err := s.checkFrames(ctx, tenant, session); err != nil {
			return nil, err
		}
		usages, err := decoder.Usages(ctx, tenant, session)
		list := make([]bills.Decoded, len(usages))
		for i := range usages {
			list[i] = bills.Decoded{StreamID: usages[i].StreamID, Usage: usages[i].Usage}
		}
		return list, err
	}
	return bills.NewStore(reader, s.Node.DB, heads, s.Log).WithDecoder(decode).WithComplete(s.completePeriod)
}

// billRoutes adds the routes of bills.
func (s *Server) billRoutes(rt *routeTable, q *queryhttp.Server) {
	exports := always(s.Concurrency.Exports)
	rt.add([]row{
		{billing, audit.BillExport, getHead, "/v1/bills/focus", exports, s.reads(forTenant(s.complete(q.Focus)))},
		{billing, audit.BillExport, getHead, "/v1/bills/:number/focus", exports, s.reads(forBill(q.BillFocus))},
		{billing, audit.BillRead, getHead, "/v1/bills", nil, forTenant(s.complete(q.Bills))},
		{billing, audit.BillClose, post, "/v1/bills", nil, forTenant(q.CloseBill)},
		{billing, audit.BillRead, getHead, "/v1/bills/preview", nil, forTenant(s.complete(q.PreviewBill))},
		{billing, audit.BillRead, getHead, "/v1/bills/preview/rows", nil, s.reads(forTenant(s.complete(q.PreviewRows)))},
		{billing, audit.BillRead, getHead, "/v1/bills/:number", nil, forBill(q.Bill)},
		{billing, audit.BillRead, getHead, "/v1/bills/:number/invoice", nil, forBill(q.BillInvoice)},
		{billing, audit.BillRead, getHead, "/v1/bills/:number/rows", s.exportLimit, s.reads(forBill(q.BillRows))},
		// The table contains the rules of all tenants.
		{operates, audit.BillRead, getHead, "/v1/bills/:number/prices", nil, forBill(q.BillPrices)},
		{evidence, audit.BillExport, get, "/v1/bills/:number/evidence", exports, s.reads(forBill(q.BillEvidence))},
		{billing, audit.BillVerify, getHead, "/v1/bills/:number/verification", nil, forBill(q.BillVerification)},
	})
}

// evidenceTapes writes the tapes of sessions for the evidence of bills, without notes, which customers do
// not see. There is no tape for a deleted session or a session whose frames have expired.
func (s *Server) evidenceTapes(source *tapeexport.Source) func(ctx context.Context, tenant, session string) (func(io.Writer) error, error) {
	return func(ctx context.Context, tenant, session string) (func(io.Writer) error, error) {
		if s.framesExpired(ctx, tombstone.Key{Tenant: tenant, Session: session}) != nil {
			return nil, nil
		}
		found, err := source.Find(ctx, tenant, session)
		if errors.Is(err, replay.ErrNoSession) {
			return nil, nil
		}
		if err == nil {
			err = budget.Of(ctx).Reserve(ctx, found.Holds())
		}
		return func(w io.Writer) error { return found.Write(ctx, w, false) }, err
	}
}

// readsPrices reports whether a request may read price tables, which contain rules of all tenants.
func readsPrices(r *http.Request) bool { return access.From(r.Context()).Operates() }
