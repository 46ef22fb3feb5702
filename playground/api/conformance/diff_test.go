// Package conformance compares what is written by hand in playground/api with the upstream code that it stands for, on
// random input from fixed seeds. A failure prints the input, which belongs into a table of the package concerned. It is
// a module of its own because it needs upstream, and not part of ../gen, so that generating never depends on what the
// root module requires.
package conformance

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	upappsv1 "k8s.io/api/apps/v1"
	upcorev1 "k8s.io/api/core/v1"
	upresource "k8s.io/apimachinery/pkg/api/resource"
	upfields "k8s.io/apimachinery/pkg/fields"
	uplabels "k8s.io/apimachinery/pkg/labels"
	upjson "sigs.k8s.io/json"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/resource"
)

// sentence glues random words; the chance of nonsense is the point.
func sentence(r *rand.Rand, words []string, max int) string {
	var b bytes.Buffer
	for range 1 + r.Intn(max) {
		b.WriteString(words[r.Intn(len(words))])
	}
	return b.String()
}

var quantityWords = []string{"0", "1", "2", "5", "9", "12", "000", "24", "1024", "1500", ".", ".", "-", "+", "n", "u", "m", "k", "M", "G", "T", "P", "E",
	"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e", "E3", "e3", "e-3", "e9", "001", "500", "i", " "}

func TestQuantityAsUpstream(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var prev resource.Quantity
	var upPrev upresource.Quantity
	good := 0
	for range 400000 {
		s := sentence(r, quantityWords, 4)
		if exponent := strings.TrimLeft(s[strings.LastIndexAny(s, "eE")+1:], "+-"); len(exponent) > 3 {
			continue // upstream computes 10^exponent, which takes minutes
		}
		up, upErr := upresource.ParseQuantity(s)
		q, err := resource.ParseQuantity(s)
		if err == resource.ErrRange || upErr == nil && up.Cmp(limit) > 0 {
			continue
		}
		if fmt.Sprint(err) != fmt.Sprint(upErr) {
			t.Fatalf("ParseQuantity(%q): error %v, upstream %v", s, err, upErr)
		}
		if err != nil {
			continue
		}
		good++
		compare(t, fmt.Sprintf("%q", s), q, up)
		sum, upSum := q.DeepCopy(), up.DeepCopy()
		sum.Add(prev)
		upSum.Add(upPrev)
		compare(t, fmt.Sprintf("%q + %q", s, prev.String()), sum, upSum)
		diff, upDiff := q.DeepCopy(), up.DeepCopy()
		diff.Sub(prev)
		upDiff.Sub(upPrev)
		compare(t, fmt.Sprintf("%q - %q", s, prev.String()), diff, upDiff)
		if got, want := q.Cmp(prev), up.Cmp(upPrev); got != want {
			t.Fatalf("%q.Cmp(%q) = %d, upstream %d", s, prev.String(), got, want)
		}
		prev, upPrev = q, up
	}
	if good < 10000 {
		t.Errorf("only %d of the random texts were quantities", good)
	}
}

// limit is where upstream begins to lose suffixes: it prints 1000E as 1.
var limit = upresource.MustParse("400E")

// compare leaves accessors alone where upstream's overflow.
func compare(t *testing.T, what string, q resource.Quantity, up upresource.Quantity) {
	t.Helper()
	if q.String() != up.String() || string(q.Format) != string(up.Format) {
		t.Fatalf("%s = %s (%s), upstream %s (%s)", what, q.String(), q.Format, up.String(), up.Format)
	}
	small := up.CmpInt64(1e15) < 0 && up.CmpInt64(-1e15) > 0
	if small && up.Sign() >= 0 && (q.Value() != up.Value() || q.MilliValue() != up.MilliValue()) {
		t.Fatalf("%s: value %d, milli %d, upstream %d, %d", what, q.Value(), q.MilliValue(), up.Value(), up.MilliValue())
	}
	if q.Sign() != up.Sign() {
		t.Fatalf("%s: sign %d, upstream %d", what, q.Sign(), up.Sign())
	}
}

var labelWords = []string{"app", "tier", "a", "b", "web", "example.com/x", "-bad", "in", "notin", " in ", " notin ", "=", "==", "!=", "!", ">", "<", "(", ")",
	",", ", ", " ", "1", "5", "x y", "\x00", "Ü"}

func TestLabelSelectorsAsUpstream(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	sets := []map[string]string{nil, {"app": "web"}, {"app": "5", "tier": "a"}, {"a": "b", "in": "1"}, {"example.com/x": ""}}
	good := 0
	for range 400000 {
		s := sentence(r, labelWords, 9)
		up, upErr := uplabels.Parse(s)
		sel, err := labels.Parse(s)
		if fmt.Sprint(err) != fmt.Sprint(upErr) {
			t.Fatalf("Parse(%q): error %v\nupstream %v", s, err, upErr)
		}
		if err != nil {
			continue
		}
		good++
		if sel.String() != up.String() || sel.Empty() != up.Empty() {
			t.Fatalf("Parse(%q) = %q, upstream %q", s, sel, up)
		}
		for _, set := range sets {
			if got, want := sel.Matches(labels.Set(set)), up.Matches(uplabels.Set(set)); got != want {
				t.Fatalf("Parse(%q).Matches(%v) = %v, upstream %v", s, set, got, want)
			}
		}
	}
	if good < 10000 {
		t.Errorf("only %d of the random texts were selectors", good)
	}
}

var fieldWords = []string{"metadata.name", "spec.nodeName", "a", "=", "==", "!=", ",", `\`, `\,`, `\=`, "x", "!", " "}

func TestFieldSelectorsAsUpstream(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 200000 {
		s := sentence(r, fieldWords, 8)
		up, upErr := upfields.ParseSelector(s)
		sel, err := fields.ParseSelector(s)
		if fmt.Sprint(err) != fmt.Sprint(upErr) {
			t.Fatalf("ParseSelector(%q): error %v, upstream %v", s, err, upErr)
		}
		if err == nil && sel.String() != up.String() {
			t.Fatalf("ParseSelector(%q) = %q, upstream %q", s, sel, up)
		}
	}
}

var jsonWords = []string{`{`, `}`, `[`, `]`, `:`, `,`, `"spec"`, `"Spec"`, `"containers"`, `"name"`, `"labels"`, `"metadata"`, `"resources"`, `"limits"`,
	`"cpu"`,
	`"1"`, `"x"`, `1`, `-1`, `1.5`, `null`, `true`, `"ports"`, `"port"`, `"hostPort"`, `"creationTimestamp"`, `"replicas"`, `"phase"`, `"status"`, `"a"`}

// value is a random JSON value, mostly with names that mean something.
func value(r *rand.Rand, depth int) string {
	names := []string{"spec", "Spec", "containers", "name", "labels", "metadata", "resources", "limits", "cpu", "ports", "hostPort", "creationTimestamp",
		"replicas", "phase", "status", "a", "template", "kind", "finalizers", "data", "restartPolicy", "terminationGracePeriodSeconds", "httpGet", "port",
		"livenessProbe"}
	switch n := r.Intn(10); {
	case n < 6 && depth > 0:
		s := "{"
		for i := range r.Intn(4) {
			if i > 0 {
				s += ","
			}
			s += fmt.Sprintf("%q:%s", names[r.Intn(len(names))], value(r, depth-1))
		}
		return s + "}"
	case n < 8 && depth > 0:
		return "[" + value(r, depth-1) + "," + value(r, depth-1) + "]"
	}
	return jsonWords[15+r.Intn(7)]
}

func TestStrictDecodingAsUpstream(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	clean := 0
	for i := range 300000 {
		data := []byte(`{"metadata":` + value(r, 3) + `,"spec":` + value(r, 5) + `,"` + []string{"status", "data", "x"}[r.Intn(3)] + `":` + value(r, 3) + `}`)
		var into, up any = new(corev1.Pod), new(upcorev1.Pod)
		if i%2 == 0 {
			into, up = new(appsv1.ReplicaSet), new(upappsv1.ReplicaSet)
		}
		wantStrict, wantErr := upjson.UnmarshalStrict(data, up)
		strict, err := api.DecodeInto(data, into)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s: error %v\nupstream %v", data, err, wantErr)
		}
		if err != nil {
			continue
		}
		clean++
		var got []string
		if strict != nil {
			for _, f := range strict.Fields {
				got = append(got, f.Error())
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(wantStrict) {
			t.Fatalf("%s: strict errors %v\nupstream %v", data, got, wantStrict)
		}
		a, _ := api.Encode(into)
		b, _ := api.Encode(up)
		if !bytes.Equal(a, b) {
			t.Fatalf("%s: decoded to %s\nupstream %s", data, a, b)
		}
	}
	if clean < 10000 {
		t.Errorf("only %d of the random texts were objects", clean)
	}
}
