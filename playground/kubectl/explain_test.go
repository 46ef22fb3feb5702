package kubectl

import (
	"encoding/json"
	"reflect"
	"testing"

	"kubewalk/playground/api/corev1"
)

func TestExplanation(t *testing.T) {
	var s fieldSchema
	if err := json.Unmarshal([]byte(`{"type":"object","description":"A site.","properties":{
		"spec":{"type":"object","required":["host"],"properties":{
			"host":{"type":"string","description":"Where people find it, in more words than fit into one line of a terminal of eighty columns."},
			"color":{"type":"string","enum":["red","","blue","green","black"]},
			"ports":{"type":"array","items":{"type":"object","description":"One port.","properties":{"number":{"type":"integer"}}}},
			"labels":{"type":"object","additionalProperties":{"type":"string"}}}}}}`), &s); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path      []string
		recursive bool
		want      string
	}{
		{[]string{"spec"}, false, `FIELD: spec <Object>


DESCRIPTION:
    <empty>
FIELDS:
  color	<string>
  enum: red, "", blue, green, ....
    <no description>

  host	<string> -required-
    Where people find it, in more words than fit into one line of a terminal of
    eighty columns.

  labels	<map[string]string>
    <no description>

  ports	<[]Object>
    <no description>

`},
		{[]string{"spec", "ports"}, false, `FIELD: ports <[]Object>


DESCRIPTION:
    One port.
    
FIELDS:
  number	<integer>
    <no description>

`},
		{[]string{"spec", "ports", "number"}, false, "FIELD: number <integer>\n\n\nDESCRIPTION:\n    <empty>\n"},
		{nil, true, `DESCRIPTION:
    A site.
    
FIELDS:
  spec	<Object>
    color	<string>
    enum: red, "", blue, green, ....
    host	<string> -required-
    labels	<map[string]string>
    ports	<[]Object>
      number	<integer>
`},
	} {
		if got, err := (explainer{none: "<empty>", recursive: c.recursive}).explanation(&s, c.path); got != c.want || err != nil {
			t.Errorf("%v: got (%v)\n%s\nwant\n%s", c.path, err, got, c.want)
		}
	}
	if _, err := (explainer{}).explanation(&s, []string{"spec", "hots"}); err == nil || err.Error() != `field "hots" does not exist` {
		t.Errorf("a field that is not there: %v", err)
	}
}

// Built-in kinds are explained from their types where nothing is published. (httpapi/conformance compares what is published with the real one.)
func TestBuiltIn(t *testing.T) {
	got, err := explainer{none: noDescriptions, recursive: true}.explanation(builtIn(reflect.TypeFor[corev1.Pod]()), []string{"spec", "containers", "resources"})
	want := `FIELD: resources <ResourceRequirements>


DESCRIPTION:
    <here, built-in kinds have no descriptions and no enums>
FIELDS:
  claims	<[]ResourceClaim>
    name	<string> -required-
    request	<string>
  limits	<map[string]Quantity>
  requests	<map[string]Quantity>
`
	if got != want || err != nil {
		t.Errorf("got (%v)\n%s\nwant\n%s", err, got, want)
	}
}
