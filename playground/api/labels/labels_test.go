package labels

import (
	"testing"

	"kubewalk/playground/api/metav1"
)

func TestParse(t *testing.T) {
	tests := []struct {
		in, want string
		yes, no  Set
	}{
		{"", "", Set{}, nil},
		{"app=web", "app=web", Set{"app": "web"}, Set{"app": "api"}},
		{"b==2,a!=1", "a!=1,b==2", Set{"b": "2"}, Set{"a": "1", "b": "2"}},
		{"tier in (b, a)", "tier in (a,b)", Set{"tier": "a"}, Set{"tier": "c"}},
		{"tier notin (a)", "tier notin (a)", Set{}, Set{"tier": "a"}},
		{"app,!old", "app,!old", Set{"app": ""}, Set{"app": "", "old": ""}},
		{"n>3, n<9", "n>3,n<9", Set{"n": "5"}, Set{"n": "x"}},
		{"in=notin", "in=notin", Set{"in": "notin"}, Set{}},
		{"a in ()", "a in ()", Set{"a": ""}, Set{"a": "x"}},
	}
	for _, tt := range tests {
		s, err := Parse(tt.in)
		if err != nil || s.String() != tt.want {
			t.Errorf("Parse(%q) = %q, %v, want %q", tt.in, s, err, tt.want)
			continue
		}
		if !s.Matches(tt.yes) || tt.no != nil && s.Matches(tt.no) {
			t.Errorf("Parse(%q) matches %v: %v, %v: %v", tt.in, tt.yes, s.Matches(tt.yes), tt.no, s.Matches(tt.no))
		}
	}
}

// TestParseErrors holds the words of a real API server; kubectl prints them as they are.
func TestParseErrors(t *testing.T) {
	const key = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	for in, want := range map[string]string{
		"app in (web": "unable to parse requirement: found '', expected: ',' or ')'",
		"app=web,":    "found '', expected: identifier after ','",
		"a b":         "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
		"=a":          "found '=', expected: !, identifier, or 'end of string'",
		"-bad=1":      `unable to parse requirement: <nil>: Invalid value: "-bad": ` + key,
		"n>x":         `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
	} {
		if _, err := Parse(in); err == nil || err.Error() != want {
			t.Errorf("Parse(%q)\n got %v\nwant %s", in, err, want)
		}
	}
}

func TestLabelSelectorAsSelector(t *testing.T) {
	s, err := LabelSelectorAsSelector(&metav1.LabelSelector{
		MatchLabels:      map[string]string{"b": "2", "a": "1"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "c", Operator: metav1.LabelSelectorOpIn, Values: []string{"y", "x"}}},
	})
	if err != nil || s.String() != "a=1,b=2,c in (x,y)" {
		t.Errorf("selector is %q, %v", s, err)
	}
	if s, _ := LabelSelectorAsSelector(nil); !MatchesNothing(s) || s.Matches(Set{}) {
		t.Error("a selector of nil matches something")
	}
	if s, _ := LabelSelectorAsSelector(&metav1.LabelSelector{}); !s.Empty() || MatchesNothing(s) || !s.Matches(Set{}) {
		t.Error("an empty selector doesn't match everything")
	}
	_, err = LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "c", Operator: "Is"}}})
	if err == nil || err.Error() != `"Is" is not a valid label selector operator` {
		t.Errorf("error is %v", err)
	}
}

func FuzzParseSelector(f *testing.F) {
	for _, s := range []string{"app=web", "a in (b,c),!d", "n>3", "a in (,)", "in in (in)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s, err := Parse(in)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("Parse(%q) prints %q, which reads as %q (%v)", in, s, again, err)
		}
	})
}
