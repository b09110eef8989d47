package queryhttp

import (
	"log/slog"
	"net/http"
	"time"

	"tapedeck/internal/quota"
	"tapedeck/internal/slow"
	"tapedeck/query"
	"tapedeck/query/alerts"
	"tapedeck/query/alerts/feed"
	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/charges"
	"tapedeck/query/billing/evidence"
	"tapedeck/query/billing/focus"
	"tapedeck/query/billing/invoice"
	"tapedeck/query/billing/reconcile"
	"tapedeck/query/compare"
	"tapedeck/query/endpoint"
	"tapedeck/query/notes"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/report/limitreport"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/report/pricelist"
	"tapedeck/query/report/sessiontotals"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/search"
	"tapedeck/query/session/deletion"
	"tapedeck/query/session/facets"
	"tapedeck/query/session/openspans"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/session/streamlist"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
)

// Server holds the handlers of all queries.
type Server struct {
	Sessions, Facets, Streams, Usage, Charges, Reconciliation, Tools, Calls        endpoint.Tenant
	Compare, Search, Totals, Open, Alerts, Limits                                  endpoint.Tenant
	Session, Delete, Frames, FrameIndex, FrameTypes, Density, Timeline, Transcript endpoint.Session

	Prices, ImportPrices endpoint.Tenant
	// AlertStream serves GET /v1/alerts as text/event-stream, Alerts as JSON.
	AlertStream endpoint.Tenant
	// ReconcileExport serves POST /v1/usage/reconciliation.
	ReconcileExport endpoint.Tenant
	// ModelPrices serves GET /v1/prices/{model} and GET /v1/prices/{provider}/{model}.
	ModelPrices func(w http.ResponseWriter, r *http.Request, tenant, provider, model string)

	// Focus serves GET /v1/bills/focus, BillFocus GET /v1/bills/{number}/focus.
	Focus     endpoint.Tenant
	BillFocus bills.Number
	// The handlers of bills are nil before WithBills.
	Bills, CloseBill, PreviewBill, PreviewRows   endpoint.Tenant
	Bill, BillRows, BillVerification, BillPrices bills.Number
	BillInvoice                                  bills.Number
	BillEvidence                                 bills.Number // nil before WithEvidence

	// The handlers of notes are nil before WithNotes.
	Notes                  endpoint.Tenant
	SessionNotes, AddNote  endpoint.Session
	ImportNotes            endpoint.Session
	AddLabel, RemoveLabel  func(w http.ResponseWriter, r *http.Request, tenant, session, label string)
	ChangeNote, DeleteNote func(w http.ResponseWriter, r *http.Request, tenant, session, note string)

	base *endpoint.Base

	// Frame serves GET /v1/sessions/{id}/frames/{position}.
	Frame func(w http.ResponseWriter, r *http.Request, tenant, session, position string)
}

// Option changes a Server.
type Option func(*endpoint.Base)

// WithClock sets the clock that defines "now" in parameters; default time.Now.
func WithClock(now func() time.Time) Option { return func(b *endpoint.Base) { b.Clock = now } }

// WithWriteTimeout sets how long a client may take to accept one write.
func WithWriteTimeout(d *slow.Timeout) Option {
	return func(b *endpoint.Base) { b.WriteTimeout = d }
}

// WithPrices sets the store of price tables, which the handlers of prices require.
func WithPrices(s *pricetables.Store) Option { return func(b *endpoint.Base) { b.Prices = s } }

// New returns a server. log may be nil.
func New(reader *query.Reader, log *slog.Logger, options ...Option) *Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b := &endpoint.Base{Reader: reader, Log: log, Clock: time.Now}
	for _, o := range options {
		o(b)
	}
	frames := sessionframes.Handler{Base: b}
	exports := focus.Handler{Base: b, Store: bills.NewStore(reader, nil, nil, log)} // never closes a bill
	return &Server{
		Sessions:       sessionlist.Handler{Base: b}.Sessions,
		Open:           openspans.Handler{Base: b, Usuals: toolreport.NewUsuals()}.Open,
		Totals:         sessiontotals.Handler{Base: b}.Totals,
		Facets:         facets.Handler{Base: b}.Facets,
		Streams:        streamlist.Handler{Base: b}.Streams,
		Usage:          usagereport.Handler{Base: b}.Usage,
		Charges:        charges.Handler{Base: b}.Charges,
		Reconciliation: reconcile.Handler{Base: b}.Reconciliation,
		Tools:          toolreport.Handler{Base: b}.Tools,
		Alerts:         alerts.Handler{Base: b}.List,
		AlertStream:    feed.Handler{Base: b, Feed: feed.New(reader, log)}.Stream,
		Limits:         limitreport.Handler{Base: b}.Limits,
		Calls:          modelcalls.Handler{Base: b}.Calls,
		Compare:        compare.Handler{Base: b}.Compare,
		Search:         search.Handler{Base: b}.Search,
		Session:        sessiondetail.Handler{Base: b}.Session,
		Delete:         deletion.Handler{Base: b}.Delete,
		Timeline:       timeline.Handler{Base: b}.Timeline,
		Transcript:     transcript.Handler{Base: b}.Transcript,
		Frames:         frames.Frames,
		Frame:          frames.Frame,
		FrameIndex:     frames.FrameIndex,
		FrameTypes:     frames.FrameTypes,
		Density:        frames.Density,

		Prices:       pricelist.Handler{Base: b}.List,
		ModelPrices:  pricelist.Handler{Base: b}.Model,
		ImportPrices: pricelist.Handler{Base: b}.Import,

		Focus:     exports.Period,
		BillFocus: exports.Bill,

		ReconcileExport: reconcile.Handler{Base: b}.Export,
		base:            b,
	}
}

// WithUsuals shares a cache of the times of tools. It returns s.
func (s *Server) WithUsuals(u *toolreport.Usuals) *Server {
	s.Open = openspans.Handler{Base: s.base, Usuals: u}.Open
	return s
}

// WithComparisons limits the number of concurrent comparisons. It returns s.
func (s *Server) WithComparisons(gate *quota.Gate) *Server {
	s.Compare = compare.Handler{Base: s.base, Gate: gate}.Compare
	return s
}

// WithNotes adds the handlers of notes. author returns who sends a request. It returns s.
func (s *Server) WithNotes(author func(*http.Request) string) *Server {
	h := notes.Handler{Base: s.base, Author: author}
	s.Notes, s.SessionNotes, s.AddNote, s.ChangeNote, s.DeleteNote = h.List, h.OfSession, h.Add, h.Change, h.Delete
	s.ImportNotes, s.AddLabel, s.RemoveLabel = h.Import, h.AddLabel, h.RemoveLabel
	return s
}

// WithBills adds the handlers that close and read bills in a store. It returns s.
func (s *Server) WithBills(store *bills.Store) *Server {
	h := bills.Handler{Base: s.base, Store: store}
	s.Bills, s.CloseBill, s.PreviewBill, s.Bill = h.List, h.Close, h.Preview, h.Bill
	s.PreviewRows, s.BillRows, s.BillVerification, s.BillPrices = h.PreviewRows, h.Rows, h.Verification, h.PriceTable
	s.BillInvoice = invoice.Handler{Base: s.base, Store: store}.Invoice
	return s
}

// WithEvidence adds the handler of the evidence of bills, with the tapes of sessions. prices
// reports whether the caller of a request may read price tables. It returns s.
func (s *Server) WithEvidence(store *bills.Store, tapes evidence.Tapes, prices func(*http.Request) bool) *Server {
	s.BillEvidence = evidence.Handler{Base: s.base, Store: store, Tapes: tapes, Prices: prices}.Evidence
	return s
}
