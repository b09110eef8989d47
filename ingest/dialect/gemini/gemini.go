// Package gemini reads answers of the Gemini API, streamed as server-sent events, as lines or as
// one JSON array, or whole, and the requests that a proxy recorded. docs/dialects/gemini.md
// describes how it reads them.
package gemini

import "tapedeck/ingest/dialect"

// Dialect is the Gemini API: generateContent and streamGenerateContent, also
// of Vertex AI.
var Dialect = dialect.Dialect{Name: "gemini", Match: match, New: newDecoder}

// provider serves every model of this API.
const provider = "google"
