package field

import "testing"

func TestPath(t *testing.T) {
	for want, p := range map[string]*Path{
		"<nil>":                    nil,
		"spec":                     NewPath("spec"),
		"spec.template.spec":       NewPath("spec", "template", "spec"),
		"spec.containers[0].image": NewPath("spec").Child("containers").Index(0).Child("image"),
		"metadata.labels[a/b]":     NewPath("metadata", "labels").Key("a/b"),
		"[0].name":                 (*Path)(nil).Index(0).Child("name"),
	} {
		if got := p.String(); got != want {
			t.Errorf("path: got %s, want %s", got, want)
		}
	}
	if got := NewPath("a", "b", "c").Root().String(); got != "a" {
		t.Errorf("root: got %s, want a", got)
	}
}

func TestErrors(t *testing.T) {
	p := NewPath("spec", "f")
	var absent *int32
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{Invalid(p, int32(-1), "must be greater than or equal to 0"), `spec.f: Invalid value: -1: must be greater than or equal to 0`},
		{Invalid(p, "Web_1", "bad"), `spec.f: Invalid value: "Web_1": bad`},
		{Invalid(p, map[string]string{"b": "2", "a": "1"}, "bad"), `spec.f: Invalid value: {"a":"1","b":"2"}: bad`},
		{Invalid(p, absent, "bad"), `spec.f: Invalid value: null: bad`},
		{Required(p, ""), `spec.f: Required value`},
		{Required(p, "must be set"), `spec.f: Required value: must be set`},
		{Duplicate(p, "web"), `spec.f: Duplicate value: "web"`},
		{NotFound(p, "web"), `spec.f: Not found: "web"`},
		{Forbidden(p, "not now"), `spec.f: Forbidden: not now`},
		{NotSupported(p, "Sometimes", []string{"Always", "Never"}), `spec.f: Unsupported value: "Sometimes": supported values: "Always", "Never"`},
		{TooLong(p, "xxx", 2), `spec.f: Too long: may not be more than 2 bytes`},
		{TooLong(p, "xxx", 1), `spec.f: Too long: may not be more than 1 byte`},
		{TooMany(p, 3, 2), `spec.f: Too many: 3: must have at most 2 items`},
		{TooMany(p, -1, -1), `spec.f: Too many: has too many items`},
		{TypeInvalid(p, true, "bad"), `spec.f: Invalid value: true: bad`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestToAggregate(t *testing.T) {
	a, b := Required(NewPath("a"), ""), Required(NewPath("b"), "")
	if err := (ErrorList{}).ToAggregate(); err != nil {
		t.Errorf("an empty list is an error: %v", err)
	}
	for want, list := range map[string]ErrorList{
		"a: Required value":                      {a},
		"[a: Required value, b: Required value]": {a, b, a},
	} {
		if got := list.ToAggregate().Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
