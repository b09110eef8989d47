// Package spans tests the spans that tapedeck exports and forwards with the OTLP receiver of the OpenTelemetry
// Collector, which tools/otlpreceiver runs.
package spans
