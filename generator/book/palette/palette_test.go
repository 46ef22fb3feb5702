package palette

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestGroundsAreThoseOfTheSite: what is measured against here is what pages have.
func TestGroundsAreThoseOfTheSite(t *testing.T) {
	tokens, err := os.ReadFile("../../../site/styles/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	if want := "--accent: light-dark(" + Default + ","; !strings.Contains(string(tokens), want) {
		t.Errorf("tokens.css does not say %s", want)
	}
	for name, values := range map[string][2]string{"surface": {light.surface, dark.surface}, "raised": {light.raised, dark.raised}} {
		if want := fmt.Sprintf("--%s: light-dark(%s, %s);", name, values[0], values[1]); !strings.Contains(string(tokens), want) {
			t.Errorf("tokens.css does not say %s", want)
		}
	}
}

func TestContrastIsWCAGs(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want string
	}{{"#000000", "#ffffff", "21.00"}, {"#777777", "#ffffff", "4.48"}, {"#767676", "#ffffff", "4.54"}, {"#2450b8", "#ffffff", "7.21"}} {
		if got := fmt.Sprintf("%.2f", contrast(parse(test.a), parse(test.b))); got != test.want {
			t.Errorf("%s on %s: %s, want %s", test.a, test.b, got, test.want)
		}
	}
}

func TestWeakColoursHaveANeighbourThatPasses(t *testing.T) {
	for _, good := range []string{"#2450b8", "#0b6b5f"} {
		if w := Light(good); w != nil {
			t.Errorf("%s: %+v", good, w)
		}
	}
	for _, good := range []string{"#8fb2ff", "#5fd4c0"} {
		if w := Dark(good); w != nil {
			t.Errorf("%s on dark: %+v", good, w)
		}
	}
	for _, accent := range []string{"#ffcc00", "#ffffff", "#8fb2ff", "#00ff00", "#ff0000", "#999999"} {
		w := Light(accent)
		if w == nil || w.Ratio >= Least || Light(w.Nearest) != nil {
			t.Errorf("%s: %+v", accent, w)
		}
		// A shade nearer does not pass: the cure is no farther than it has to be.
		if w != nil && light.worst(parse(w.Nearest)) > Least+0.15 {
			t.Errorf("%s: %s is farther than it has to be (%.2f)", accent, w.Nearest, light.worst(parse(w.Nearest)))
		}
	}
	for _, accent := range []string{"#000000", "#2450b8", "#550000", "#0000ff", "#14171d"} {
		w := Dark(accent)
		if w == nil || w.Ratio >= Least || Dark(w.Nearest) != nil {
			t.Errorf("%s on dark: %+v", accent, w)
		}
	}
}

func TestCSS(t *testing.T) {
	if got, want := CSS("#0B6B5F", "#5fd4c0"), ":root{--accent:light-dark(#0b6b5f,#5fd4c0);"; !strings.HasPrefix(got, want) || strings.Count(got, "#") != 6 {
		t.Errorf("got %s", got)
	}
}
