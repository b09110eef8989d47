// Package helm tests the chart in tapedeck/: values/*.yaml are rendered by Helm's own packages, checked
// against the schemas of Kubernetes and against themselves, and the rendered commands are run
// against real NATS and ClickHouse servers.
package helm
