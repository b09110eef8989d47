package block

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tapedeck/schema"
)

// version1 is a block as a program that writes version 1 encodes it: fullBlock with two
// frames, its usage without billing, its states without the version of the decoders.
const version1 = "" +
	"544442010049010000f3cd7d1f0764656661756c7406736573732d31860000000269640301046c6f6f6d01650373726301740201610131" +
	"016200020403040a03656f660102030405060709023000000006736573732d30000101046c6f6f6d00000001016101310204020404046c" +
	"656674000000000000000502723100026b311900000002c3bc00000000000000000000000000000000000000000000027231026431026b" +
	"31013100000006746f6f6c3a3101730172016e01610a060704746f6f6c01700472656164026f6b020406080163016d0270720165027b7d" +
	"013200000006746f6f6c3a3101730172016e01610a060704757365720173016e0668c3a96c6c6f0474657874011428025b5d0200021404" +
	"012c00000006746f6f6c3a3101730172016e01610a06070463616c6c03616464080173016d017001020304050615027b7d020c05140301" +
	"00016104140100007b7d0a78"

func TestVersion1(t *testing.T) {
	data, err := hex.DecodeString(version1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := fullBlock([]schema.Frame{
		{Seq: 1, At: 10, Raw: []byte("{}\n"), Envelope: schema.Envelope{Type: "a"}}, {Seq: 2, At: 20, Raw: []byte("x")},
	})
	want.Facts.Usages[0].Billing = schema.Billing{}
	want.State.DecoderVersion, want.Left[0].State.DecoderVersion, want.State.Redacted = 0, 0, nil
	want.State.Limits = ""
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadable(t *testing.T) {
	data := Encode(nil, fullBlock(nil), S2)
	if data[3] != 3 {
		t.Errorf("a block is written as version %d", data[3])
	}
	for v, want := range map[byte]error{0: nil, 1: nil, 2: ErrVersion, 3: nil, 4: ErrVersion} {
		data[3] = v
		err := Readable(data)
		if !errors.Is(err, want) {
			t.Errorf("version %d: %v", v, err)
		}
		if err != nil && !strings.HasSuffix(err.Error(), "this program reads 1 and 3") {
			t.Errorf("version %d: %v", v, err)
		}
	}
	data[3] = 0
	if _, err := Decode(data); !errors.Is(err, ErrVersion) {
		t.Errorf("version 0: %v", err)
	}
}
