package sessionframes

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("frames_ahead", "frames_ahead", framesShape{After: true, Reach: true}),
		querytest.NewStatement("frames_index", "frames_index", framesShape{Types: true}),
		querytest.NewStatement("frames_index_with_care", "frames_index", framesShape{Careful: true}),
		querytest.NewStatement("frame_rows", "frame_rows", nil),
		querytest.NewStatement("frame_types", "frame_types", carefulShape{Careful: true}),
		querytest.NewStatement("frames", "frames", framesShape{Types: true, Nodes: true, Agents: true, Directions: true, After: true}),
		querytest.NewStatement("frames_index_of_span", "frames_index", framesShape{Careful: true, Span: true}),
		querytest.NewStatement("span_frames", "span_frames", carefulShape{Careful: true, Span: true}),
		querytest.NewStatement("density_with_care", "density", carefulShape{Careful: true}),
	)
}
