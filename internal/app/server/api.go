package server

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/upload"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/redecode"
	"tapedeck/ingest/sink"
	"tapedeck/ingest/tap/ingesthttp"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/audit/table"
	"tapedeck/internal/app/auth/share"
	"tapedeck/internal/app/command/tapeimport"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/query"
	"tapedeck/query/endpoint"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/session/streamlist"
	"tapedeck/replay/clickhouse"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/live"
	"tapedeck/replay/tapefile/tapeexport"
)

// ingestRoutes adds the routes that receive streams.
func (s *Server) ingestRoutes(rt *routeTable) {
	rec := s.Node.Recorder
	bodies := ingesthttp.NewHandler(rec, ingesthttp.Options{Limits: s.Limits, FrameLimit: s.Limits.Frame, Keys: s.Node.Keys, Known: s.sessionOf(), Log: s.Log})
	rt.add(records, audit.None, http.MethodPost, "/v1/ingest", limited(s.Concurrency.Streams, forTenant(bodies.Ingest)))
	rt.get(records, audit.None, "/v1/ingest/:key", only(func(c echo.Context) error {
		return forTenant(func(w http.ResponseWriter, r *http.Request, tenant string) {
			bodies.Status(w, r, tenant, c.Param("key"))
		})(c)
	}))
	s.sockets = websocket.NewHandler(rec, websocket.HandlerOptions{Limits: s.Limits, FrameLimit: s.Limits.Frame, Keys: s.Node.Keys, Lasting: s.lasting, Log: s.Log})
	rt.add(records, audit.None, http.MethodGet, "/v1/ingest/ws", limited(s.Concurrency.Streams, forTenant(s.sockets.IngestWS)))
	uploads := upload.ServerOptions{Next: s.Node.Accepts, Arrive: s.Slow.Body, Log: s.Log}
	if s.Node.Announcer != nil {
		uploads.Arrived = s.Node.Announcer.Now
	}
	s.uploads = upload.NewServer(uploads)
	if s.Node.Announcer != nil {
		s.Node.Announcer.SpeakFor(s.uploads.Recorders)
	}
	s.metrics.MustRegister(s.uploads)
	if s.Node.Spool != nil {
		s.metrics.MustRegister(s.Node.Spool)
	}
	rt.add(records, audit.SessionImport, http.MethodPost, "/v1/import", limited(s.Concurrency.Streams, only(forTenant(tapeimport.NewHandler(s.Node.Accepts, s.Log).Import))))
	rt.add(records, audit.None, http.MethodPost, upload.Path, limited(s.Concurrency.Streams, only(forTenant(s.uploads.Blocks))))
}

// following returns the options for following running sessions. As in lists, heartbeats
// decide whether a recorder is alive.
func (s *Server) following() live.Options {
	o := live.Options{
		NATS: s.Node.NATS, Stream: jetstream.StreamName, Sink: sink.ConsumerName, Filters: ingest.SubjectFilters,
		Deleted: s.Node.Deleted, Budget: s.Readers, Stored: s.tapes, Log: s.Log,
	}
	if s.Node.Recorders != nil {
		o.Recorders = s.Node.Recorders
	}
	return o
}

// readRoutes adds the routes that read and play recordings.
func (s *Server) readRoutes(rt *routeTable) {
	s.tapes = clickhouse.Open(s.Node.DSN, clickhouse.Options{})
	s.metrics.MustRegister(s.Readers)
	playing := replayhttp.Options{Library: share.Library{Whole: s.tapes, Stored: s.tapes}, Budget: s.Readers, Logger: s.Log, Registerer: s.metrics, WriteTimeout: s.Slow.Write, LagLimit: s.Slow.Lag}
	following, err := live.New(s.following())
	if err != nil {
		s.Log.Error("server: running sessions are not followed", "error", err)
	} else {
		s.live, playing.Live = following, share.Library{Whole: following, Stored: s.tapes}
	}
	play := replayhttp.New(playing)
	s.Erasures, s.retention, s.backups = s.newErasures(), s.newRetention(), s.newBackups()
	if s.Node.Deleted != nil {
		s.watched = newSessionReaders(s.Node.Deleted)
	}
	options := []query.Option{query.WithDeleter(s.Erasures), query.WithQuietAfter(s.QuietAfter), query.WithDecoderVersion(dialects.Version), query.WithLimits(s.Query)}
	if s.Node.Recorders != nil {
		s.metrics.MustRegister(s.Node.Recorders)
		options = append(options, query.WithRecorders(s.Node.Recorders))
	}
	tables := pricetables.NewStore(s.Node.DB, s.Log)
	options = append(options, query.WithPrices(tables))
	reader, decoder := query.NewReader(s.Node.DB, options...), redecode.New(s.Node.DB, s.Node.DSN, s.Log)
	s.reader = reader
	decoder.Copies, decoder.JSONDepth = erasure.Copies{Service: s.Erasures}, s.Limits.JSONDepth
	rt.get(admins, audit.TokenList, "/v1/tenants", only(plain(tenants{s, tables}.serve)))
	store, tapes := s.bills(reader, decoder), tapeexport.New(s.Node.DB, s.tapes)
	q := queryhttp.New(reader, s.Log, queryhttp.WithPrices(tables), queryhttp.WithWriteTimeout(s.Slow.Write)).WithComparisons(s.Concurrency.Comparisons).WithBills(store).WithEvidence(store, s.evidenceTapes(tapes), readsPrices)

	rt.get(reads, audit.None, "/v1/sessions", forTenant(q.Sessions))
	rt.get(reads, audit.None, "/v1/facets", forTenant(q.Facets))
	rt.get(reads, audit.None, "/v1/streams", forTenant(q.Streams))
	rt.get(shared(reads), audit.None, "/v1/sessions/:id", forSession(q.Session))
	rt.add(admins, audit.SessionDelete, http.MethodDelete, "/v1/sessions/:id", forSession(q.Delete))
	rt.add(admins, audit.SessionRedecode, http.MethodPost, "/v1/sessions/:id/redecode", forSession(decoder.Handle))
	rt.add(admins, audit.SessionRedact, http.MethodPost, "/v1/sessions/:id/redact", forSession(decoder.HandleRedact(s.Node.Redaction)))
	rt.add(shared(readsRaw), audit.FramesRead, http.MethodGet, "/v1/sessions/:id/frames", s.reads(forSession(q.Frames)))
	rt.get(shared(reads), audit.None, "/v1/sessions/:id/frames/index", forSession(q.FrameIndex))
	rt.get(shared(reads), audit.None, "/v1/sessions/:id/frames/types", forSession(q.FrameTypes))
	rt.get(shared(readsRaw), audit.FramesRead, "/v1/sessions/:id/frames/:position", s.reads(forFrame(q.Frame)))
	rt.get(shared(reads), audit.None, "/v1/sessions/:id/timeline", forSession(q.Timeline))
	rt.get(shared(reads), audit.TranscriptRead, "/v1/sessions/:id/transcript", s.reads(forSession(q.Transcript)))
	rt.get(shared(reads), audit.None, "/v1/sessions/:id/density", forSession(q.Density))
	rt.add(shared(readsRaw), audit.SessionReplay, http.MethodGet, "/v1/sessions/:id/replay", limitedBy(s.replayLimit, forSession(play.Replay)))
	rt.add(readsRaw, audit.TapeExport, http.MethodGet, "/v1/sessions/:id/tape", limited(s.Concurrency.Exports, only(s.reads(forSession(tapeexport.NewHandler(tapes, s.Slow.Write, s.Log).Tape)))))
	rt.get(reads, audit.None, "/v1/usage", limitedBy(s.exportLimit, s.reads(forTenant(q.Usage))))
	rt.get(reads, audit.ChargesExport, "/v1/usage/calls", limitedBy(s.exportLimit, s.reads(forTenant(q.Charges))))
	rt.get(billing, audit.Reconciled, "/v1/usage/reconciliation", forTenant(q.Reconciliation))
	rt.add(billing, audit.Reconciled, http.MethodPost, "/v1/usage/reconciliation", forTenant(q.ReconcileExport))
	rt.get(reads, audit.None, "/v1/tools", forTenant(q.Tools))
	rt.get(reads, audit.Search, "/v1/search", s.reads(forTenant(q.Search)))
	rt.get(reads, audit.None, "/v1/calls", limitedBy(s.exportLimit, forTenant(q.Calls)))
	rt.get(reads, audit.SessionCompare, comparePath, s.reads(forTenant(q.Compare)))
	rt.get(reads, audit.None, "/v1/prices", forTenant(q.Prices))
	rt.get(reads, audit.None, "/v1/prices/:model", forModel(q.ModelPrices))
	rt.get(reads, audit.None, "/v1/prices/:provider/:model", forModel(q.ModelPrices))
	rt.add(operates, audit.PricesImport, http.MethodPost, "/v1/prices", forTenant(q.ImportPrices))
	rt.get(billing, audit.BillExport, "/v1/bills/focus", limited(s.Concurrency.Exports, s.reads(forTenant(q.Focus))))
	rt.get(billing, audit.BillExport, "/v1/bills/:number/focus", limited(s.Concurrency.Exports, s.reads(forBill(q.BillFocus))))
	s.billRoutes(rt, q)
	rt.get(admins, audit.AuditRead, "/v1/audit", limitedBy(s.exportLimit, s.reads(s.auditEntries(table.Handler{Base: &endpoint.Base{Reader: reader, Log: s.Log, Clock: time.Now, WriteTimeout: s.Slow.Write}}))))
	s.emulateRoutes(rt)
	s.erasureRoutes(rt)
	s.backupRoutes(rt)
	s.retentionRoutes(rt)
	s.shareRoutes(rt)
}

// sessionOf returns a function that looks up the session of the bytes with a digest;
// nil on a node that does not read recordings.
func (s *Server) sessionOf() func(ctx context.Context, tenant, digest string) (string, error) {
	if s.Node.DB == nil {
		return nil
	}
	reader := query.NewReader(s.Node.DB)
	return func(ctx context.Context, tenant, digest string) (string, error) {
		page, err := streamlist.Latest(ctx, reader, streamlist.Query{Tenant: tenant, Digest: digest, Limit: 1})
		if err != nil || len(page.Items) == 0 {
			return "", err
		}
		return page.Items[0].SessionID, nil
	}
}
