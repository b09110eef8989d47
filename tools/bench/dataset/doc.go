// Package dataset generates a year of recordings for measurements at scale: sessions of Loom agents
// over WebSockets, with tags, models, tools and token usage, and their totals. A seed and a size
// determine the data set; each session is generated independently.
//
// The frames are decoded by the dialect as in a tap, and the frames and facts are stored through
// the sink's batches in ClickHouse; only JetStream is left out. The expected totals are counted
// where the frames are written, before all of these steps.
package dataset
