package codexappserver

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect/codexlimits"
	"tapedeck/schema"
)

// rateLimits reads the limits of the account. They are of the connection: they name no thread, and
// belong to the session of the stream.
func (d *decoder) rateLimits(v *fastjson.Value) {
	codexlimits.Read(v, d.Frame.At, func(l schema.Limit) { d.Emitter.SetLimit("", l, d.Frame) })
}
