package kubectl

import (
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Blocks are those that Go finds, whatever the text is.
func TestBlocksAreThoseOfGo(t *testing.T) {
	pieces := []string{"-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", "-----BEGIN A KEY-----\n", "-----END A KEY-----\n",
		"AAAA\n", "QUJD RA==\r\n",
		"AAA\n", "\n", "K: v\n", "text\n", "-----BEGIN X\n",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		"-----BEGIN A KEY-----\t\nH: i\n\nBBBB\n-----END A KEY----- \n"}
	random := rand.New(rand.NewPCG(1, 2))
	some := 0
	for range 200_000 {
		var text strings.Builder
		for range 1 + random.IntN(8) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		var want []string
		for block, rest := pem.Decode([]byte(text.String())); block != nil; block, rest = pem.Decode(rest) {
			want = append(want, block.Type)
		}
		got, _ := blocks([]byte(text.String()), func(string) bool { return false })
		if some += len(want); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q has %q, want %q", text.String(), got, want)
		}
	}
	if some < 50_000 {
		t.Errorf("only %d blocks", some)
	}
}
