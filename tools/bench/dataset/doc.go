// Package dataset makes a year of recordings for measurements at scale: sessions of Loom
// agents over WebSockets, with tags, models, tools and token usage, and their
// totals. A seed and a size determine all of it, each session by itself.
//
// The frames pass through the dialect as a tap passes them, and the facts and frames
// through the sink's batches into ClickHouse; only JetStream is left out. The figures that
// reports are compared with are counted where the frames are written, before any of that.
package dataset
