package otlphttp

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tapedeck/ingest"
	"tapedeck/internal/budget"
	"tapedeck/internal/otlpwire"
	"tapedeck/internal/problem"
)

// Paths of the methods of OTLP/gRPC.
const (
	TracesMethod  = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	LogsMethod    = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
	MetricsMethod = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
)

const grpcType = "application/grpc"

// grpcPrefix is the length of what precedes a message: a byte that says whether the message is
// compressed, and its length in 4 bytes ("Length-Prefixed-Message" of the gRPC protocol).
const grpcPrefix = 5

// Status codes of gRPC.
const (
	grpcOK               = 0
	grpcInvalidArgument  = 3
	grpcDeadlineExceeded = 4
	grpcPermissionDenied = 7
	grpcExhausted        = 8
	grpcUnimplemented    = 12
	grpcInternal         = 13
	grpcUnavailable      = 14
)

// GRPCTraces answers the method Export of the TraceService.
//
// A unary call of gRPC is a request of HTTP/2 with one message in its body, so the bounds of
// OTLP/HTTP apply to it: the message is read piece by piece, and charged, until it is beyond a
// limit. Requests that an exporter is to send again have the code UNAVAILABLE and RetryInfo, as
// section "OTLP/gRPC Throttling" of the specification demands; DEADLINE_EXCEEDED is for a body that
// does not arrive. A response of another layer of the server is one of HTTP, whose status clients
// map to a code ("HTTP to gRPC Status Code Mapping").
func (h *Handler) GRPCTraces(w http.ResponseWriter, r *http.Request, tenant string) {
	h.serveGRPC(w, r, tenant, otlpwire.Traces)
}

// GRPCLogs answers the method Export of the LogsService, as GRPCTraces does.
func (h *Handler) GRPCLogs(w http.ResponseWriter, r *http.Request, tenant string) {
	h.serveGRPC(w, r, tenant, otlpwire.Logs)
}

// GRPCMetrics answers the method Export of the MetricsService with UNIMPLEMENTED, after which an
// exporter does not retry.
func (h *Handler) GRPCMetrics(w http.ResponseWriter, r *http.Request, _ string) {
	if !isGRPC(w, r) {
		return
	}
	count(http.StatusNotFound)
	endGRPC(w, noMetrics())
}

func noMetrics() *problem.Problem {
	return &problem.Problem{
		Status: http.StatusNotFound, Detail: "This server records traces and logs, and no metrics.",
		Hint: "Set OTEL_METRICS_EXPORTER=none.",
	}
}

func (h *Handler) serveGRPC(w http.ResponseWriter, r *http.Request, tenant string, signal otlpwire.Signal) {
	if !isGRPC(w, r) {
		return
	}
	rejected, bad := h.receive(r.Context(), tenant, signal, false, func(grant *budget.Grant) ([]byte, *problem.Problem) {
		return h.readMessage(w, r, grant)
	})
	if bad != nil {
		h.refused(r, signal, bad)
		endGRPC(w, bad)
		return
	}
	count(http.StatusOK)
	message := response(rejected)
	w.Header().Set("Content-Type", grpcType)
	w.WriteHeader(http.StatusOK)
	var prefix [grpcPrefix]byte
	binary.BigEndian.PutUint32(prefix[1:], uint32(len(message)))
	// A write error means that the client has disconnected, so there is no client to report it to.
	_, _ = w.Write(append(prefix[:], message...))
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", strconv.Itoa(grpcOK))
}

// isGRPC answers a request that is not one of gRPC with a response of HTTP.
func isGRPC(w http.ResponseWriter, r *http.Request) bool {
	var bad *problem.Problem
	switch media := mediaType(r); {
	case media != grpcType && media != grpcType+"+proto":
		bad = &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Detail: fmt.Sprintf("The Content-Type %q is not %s.", media, grpcType),
			Hint: "Send OTLP/HTTP to /v1/traces and /v1/logs.",
		}
	case r.ProtoMajor < 2:
		bad = &problem.Problem{
			Status: http.StatusHTTPVersionNotSupported, Detail: "gRPC needs HTTP/2, and the request is " + r.Proto + ".",
			Hint: "Let proxies forward HTTP/2, or send OTLP/HTTP to /v1/traces and /v1/logs.",
		}
	default:
		return true
	}
	count(bad.Status)
	problem.Write(w, bad)
	return false
}

// readMessage reads the one message of a unary call, and undoes its compression.
func (h *Handler) readMessage(w http.ResponseWriter, r *http.Request, grant *budget.Grant) ([]byte, *problem.Problem) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(h.opts.BodyTimeout)) // fails without a connection, as in tests of handlers
	var prefix [grpcPrefix]byte
	if _, err := io.ReadFull(r.Body, prefix[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, badRequest("The call has no message.")
		}
		return nil, h.unread(err)
	}
	coding := ""
	if prefix[0] != 0 {
		coding = strings.ToLower(r.Header.Get("Grpc-Encoding"))
		if !slices.Contains(allowedCodings, coding) {
			w.Header().Set("Grpc-Accept-Encoding", strings.Join(allowedCodings, ","))
			return nil, &problem.Problem{
				Status: http.StatusNotImplemented, Detail: fmt.Sprintf("The grpc-encoding %q is not supported.", coding),
				Hint: "Compress with " + problem.OneOf(allowedCodings...) + ", or do not compress.",
			}
		}
	}
	size := int64(binary.BigEndian.Uint32(prefix[1:]))
	if size > int64(h.opts.Limits.Frame) {
		return nil, h.unread(ingest.Exceeded("--max-frame-bytes", "the message has %d bytes, more than %d", size, h.opts.Limits.Frame))
	}
	b := &body{limit: h.opts.Limits.Frame, grant: grant, ctx: r.Context()}
	message := &io.LimitedReader{R: r.Body, N: size}
	if err := b.readFrom(message, coding); err != nil {
		return nil, h.unread(err)
	}
	if message.N > 0 {
		return nil, badRequest(fmt.Sprintf("The message breaks off after %d of %d bytes.", size-message.N, size))
	}
	if n, err := r.Body.Read(prefix[:1]); n > 0 {
		return nil, badRequest("The call has more than one message.")
	} else if err != io.EOF {
		return nil, h.unread(err)
	}
	return b.data, nil
}

// endGRPC ends a call without a message ("Trailers-Only").
func endGRPC(w http.ResponseWriter, p *problem.Problem) {
	code, text := grpcCode(p), strings.TrimSpace(p.Detail+" "+p.Hint)
	head := w.Header()
	head.Set("Content-Type", grpcType)
	head.Set("Grpc-Status", strconv.Itoa(code))
	head.Set("Grpc-Message", strings.ReplaceAll(url.QueryEscape(text), "+", "%20"))
	if code == grpcUnavailable {
		head.Set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(retryStatus(code, text, p.RetryAfter)))
	}
	w.WriteHeader(http.StatusOK)
}

// grpcCode returns the status code of a refused call.
func grpcCode(p *problem.Problem) int {
	switch p.Status {
	case http.StatusBadRequest:
		return grpcInvalidArgument
	case http.StatusForbidden:
		return grpcPermissionDenied
	case http.StatusNotFound, http.StatusNotImplemented:
		return grpcUnimplemented
	case http.StatusRequestTimeout:
		return grpcDeadlineExceeded
	case http.StatusRequestEntityTooLarge:
		return grpcExhausted // without RetryInfo it is not sent again
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return grpcUnavailable
	}
	return grpcInternal
}

// retryStatus returns a google.rpc.Status with a google.rpc.RetryInfo, encoded.
func retryStatus(code int, text string, after time.Duration) []byte {
	duration := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(math.Ceil(cmp.Or(after, retryAfter).Seconds())))
	info := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), duration)
	var detail []byte // a google.protobuf.Any
	detail = protowire.AppendString(protowire.AppendTag(detail, 1, protowire.BytesType), "type.googleapis.com/google.rpc.RetryInfo")
	detail = protowire.AppendBytes(protowire.AppendTag(detail, 2, protowire.BytesType), info)
	var status []byte
	status = protowire.AppendVarint(protowire.AppendTag(status, 1, protowire.VarintType), uint64(code))
	status = protowire.AppendString(protowire.AppendTag(status, 2, protowire.BytesType), text)
	return protowire.AppendBytes(protowire.AppendTag(status, 3, protowire.BytesType), detail)
}
