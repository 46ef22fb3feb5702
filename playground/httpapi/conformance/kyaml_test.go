package conformance

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"

	"kubewalk/playground/kubectl"
)

// Random objects read the same with -o kyaml of the page's kubectl and with the real printer.
func TestKYAMLIsTheRealOne(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for n := range 20_000 {
		object := map[string]any{"apiVersion": "v1", "kind": "Thing", "spec": randomTree(r, 4)}
		var want bytes.Buffer
		if err := new(printers.KYAMLPrinter).PrintObj(&unstructured.Unstructured{Object: object}, &want); err != nil {
			t.Fatalf("seed %d, object %d: %v: %#v", seed, n, err, object)
		}
		got, err := kubectl.KYAML(object)
		if err != nil || got != want.String() {
			t.Fatalf("seed %d, object %d (%v)\ngot\n%q\nwant\n%q", seed, n, err, got, want.String())
		}
	}
}

func randomTree(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n < 3 && depth > 0:
		m := map[string]any{}
		for range r.IntN(4) {
			m[randomText(r)] = randomTree(r, depth-1)
		}
		return m
	case n < 5 && depth > 0:
		l := []any{}
		for range r.IntN(4) {
			l = append(l, randomTree(r, depth-1))
		}
		return l
	case n == 5:
		return r.Int64N(2000) - 1000
	case n == 6:
		return r.Float64() * 100
	case n == 7:
		return r.IntN(2) == 0
	case n == 8:
		return nil
	}
	return randomText(r)
}

// ingredients are what texts are made of that a reader of YAML might take for something else. (Without U+0085, which the real
// printer loses: its parser of YAML takes it for the end of a line.)
var ingredients = []string{"a", "é", "Name", "yes", "no", "null", "true", "T", "0", "1", "0x1f", "0o7", "1e3", ".", "-", "_", "/", ":", " ", "  ", "\n", "\t", "\r",
	"\"", "\\", "#", "{", ",", "'", "~", "=", "<<", "2026-01-02", "inf", ".nan", "12:30", "\u00a0", "\u2028", "\u2029", "\ufeff", "\U0001f600", "\U000e0001", "<", "&",
	"\x00", "\x07", "\x1b", "\x0b", "\x0c", "\x08", "\x01", "\u200b", "²", "一"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(ingredients[r.IntN(len(ingredients))])
	}
	return b.String()
}
