package query

import "testing"

func FuzzParseMark(f *testing.F) {
	f.Add(*Mark{List: "sessions -started", Key: 5, ID: "s"}.Cursor())
	f.Add("e30")
	f.Add("not base64!")
	f.Fuzz(func(t *testing.T, cursor string) {
		m, err := ParseMark("sessions -started", cursor)
		if err != nil || cursor == "" {
			if m != nil {
				t.Fatalf("%q returns %+v beside the error %v", cursor, m, err)
			}
			return
		}
		again, err := ParseMark("sessions -started", *m.Cursor())
		if err != nil || *again != *m {
			t.Fatalf("%q: %+v, written and read again %+v, %v", cursor, m, again, err)
		}
	})
}
