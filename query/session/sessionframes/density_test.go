package sessionframes_test

import (
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
)

func TestDensity(t *testing.T) {
	db := querytest.New(t)
	frames := func(seconds ...float64) (list []schema.Frame) {
		for i, s := range seconds {
			list = append(list, querytest.Frame(uint64(i), s, "a", "{}\n"))
		}
		return list
	}
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, Frames: frames(0, 0, 0.999, 4, 10)},
		querytest.Recording{Session: "s", Stream: 2, Frames: frames(0.5, 4, 9.5)},
		querytest.Recording{Session: "other", Stream: 3, Frames: frames(0, 1, 2)},
		querytest.Recording{Session: "moment", Stream: 4, Frames: frames(3)},
	)
	position := func(stream int, seq uint64, seconds float64) *string {
		return querytest.Ptr(schema.Position{At: querytest.AtSecond(seconds), StreamID: querytest.StreamID(stream), Seq: seq}.String())
	}
	want := &sessionframes.Density{
		SessionID: "s", Started: querytest.When(0), DurationMS: 10_000, SliceMS: 1000.000001,
		Frames: []uint64{4, 0, 0, 2, 0, 0, 0, 0, 0, 2},
		First:  []*string{position(1, 0, 0), nil, nil, position(1, 3, 4), nil, nil, nil, nil, nil, position(2, 2, 9.5)},
	}
	r := query.NewReader(db.Conn)
	for _, state := range []string{"every row twice", "every row once"} {
		querytest.Equal(t, state, want, querytest.Must[*sessionframes.Density](t)(sessionframes.ReadDensity(t.Context(), r, querytest.Tenant, "s", 10)))
		db.Merge()
		db.Exec("OPTIMIZE TABLE frames FINAL")
	}
	querytest.Equal(t, "one slice", []uint64{8}, querytest.Must[*sessionframes.Density](t)(sessionframes.ReadDensity(t.Context(), r, querytest.Tenant, "s", 1)).Frames)
	querytest.Equal(t, "a session of one moment", &sessionframes.Density{
		SessionID: "moment", Started: querytest.When(3), SliceMS: 0.000001, Frames: []uint64{1}, First: []*string{position(4, 0, 3)},
	}, querytest.Must[*sessionframes.Density](t)(sessionframes.ReadDensity(t.Context(), r, querytest.Tenant, "moment", 600)))

	// A year of recording in many slices stays within the numbers.
	long := frames(0, (365 * 24 * time.Hour).Seconds())
	db.Add(querytest.Recording{Session: "long", Stream: 5, Frames: long})
	d := querytest.Must[*sessionframes.Density](t)(sessionframes.ReadDensity(t.Context(), r, querytest.Tenant, "long", 5000))
	if len(d.Frames) != 5000 || d.Frames[0] != 1 || d.Frames[4999] != 1 {
		t.Errorf("%d slices, %d in the first and %d in the last", len(d.Frames), d.Frames[0], d.Frames[4999])
	}
}
