package server

import (
	"context"
	"net/http"

	"tapedeck/deploy/audit"
	"tapedeck/ingest/redecode"
	"tapedeck/query"
	"tapedeck/query/bills"
	queryhttp "tapedeck/query/http"
)

// bills returns the store of bills, which compares with frames by the decoder.
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
	return bills.NewStore(reader, s.Node.DB, heads, s.Log).WithDecoder(decode)
}

// billRoutes adds the routes of bills.
func billRoutes(rt *routeTable, q *queryhttp.Server) {
	rt.get(billing, audit.BillRead, "/v1/bills", forTenant(q.Bills))
	rt.add(billing, audit.BillClose, http.MethodPost, "/v1/bills", forTenant(q.CloseBill))
	rt.get(billing, audit.BillRead, "/v1/bills/preview", forTenant(q.PreviewBill))
	rt.get(billing, audit.BillRead, "/v1/bills/:number", forBill(q.Bill))
	rt.get(billing, audit.BillRead, "/v1/bills/:number/rows", forBill(q.BillRows))
	// The table has the rules of all tenants.
	rt.get(operates, audit.BillRead, "/v1/bills/:number/prices", forBill(q.BillPrices))
	rt.get(billing, audit.BillVerify, "/v1/bills/:number/verification", forBill(q.BillVerification))
}
