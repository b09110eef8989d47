package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// addresses are the first line of the output, HOST:PORT each.
type addresses struct {
	HTTP string `json:"http"`
	GRPC string `json:"grpc"`
}

// run receives until ctx ends. It listens for OTLP over HTTP on the address, and over gRPC on a free port.
func run(ctx context.Context, address string, out io.Writer) error {
	w := &writer{out: out}
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	config.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = address
	config.Protocols.GRPC.GetOrInsertDefault().NetAddr.Endpoint = "127.0.0.1:0"
	// The receiver states the addresses on which it listens in its log only.
	core, log := observer.New(zapcore.InfoLevel)
	settings := receiver.Settings{
		ID: component.NewID(factory.Type()),
		TelemetrySettings: component.TelemetrySettings{
			Logger: zap.New(core), MeterProvider: noop.NewMeterProvider(), TracerProvider: tracenoop.NewTracerProvider(),
		},
	}
	traces, err := consumer.NewTraces(w.write)
	if err != nil {
		return err
	}
	r, err := factory.CreateTraces(ctx, settings, config, traces)
	if err != nil {
		return err
	}
	if err := r.Start(ctx, host{}); err != nil {
		return fmt.Errorf("receive on %s: %w", address, err)
	}
	at := addresses{HTTP: listening(log, "Starting HTTP server"), GRPC: listening(log, "Starting GRPC server")}
	err = w.line(json.Marshal(at))
	if err == nil {
		<-ctx.Done()
	}
	return errors.Join(err, r.Shutdown(context.WithoutCancel(ctx)))
}

// listening returns the address in the message of the log with which the receiver began to listen.
func listening(log *observer.ObservedLogs, message string) string {
	for _, entry := range log.FilterMessage(message).All() {
		if endpoint, ok := entry.ContextMap()["endpoint"].(string); ok {
			return endpoint
		}
	}
	return ""
}

// host is a collector without extensions.
type host struct{}

func (host) GetExtensions() map[component.ID]component.Component { return nil }

// writer writes lines. Requests are received at the same time.
type writer struct {
	mu  sync.Mutex
	out io.Writer
}

// write writes the traces of a request. If it fails, the receiver refuses the request.
func (w *writer) write(_ context.Context, traces ptrace.Traces) error {
	return w.line((&ptrace.JSONMarshaler{}).MarshalTraces(traces))
}

func (w *writer) line(text []byte, err error) error {
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.out.Write(append(text, '\n'))
	return err
}
