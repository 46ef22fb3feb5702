package demofile_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"kubewalk/playground/demo/demofile"
)

func TestSchemaIsFresh(t *testing.T) {
	got, err := os.ReadFile("../../../docs/schema/" + demofile.SchemaFile)
	if err != nil || !bytes.Equal(got, demofile.Schema()) {
		t.Errorf("docs/schema/%s is not what the parser reads (%v): run `make generate`", demofile.SchemaFile, err)
	}
}

// schema is the file as a validator of the field reads it.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(demofile.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(demofile.SchemaFile, parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(demofile.SchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func valid(s *jsonschema.Schema, src string) error {
	text, err := yaml.YAMLToJSON([]byte(src))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// TestEditorsLikeTheBooksDemos: what the build reads, an editor does not mark.
func TestEditorsLikeTheBooksDemos(t *testing.T) {
	s := schema(t)
	for _, path := range books(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(s, string(src)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := valid(s, good); err != nil {
		t.Error(err)
	}
}

// inForm tells whether a mistake can be seen without a run and without the rest of the file.
func inForm(want string) bool {
	for _, words := range []string{"unknown key", "has to be", "doesn't have a resource type",
		"unknown kind of event", "is not a duration", "needs replicas", "needs a client", "needs max", "needs a resource"} {
		if strings.Contains(want, words) {
			return true
		}
	}
	return false
}

// TestEditorsMarkWhatTheParserRefuses: unknown keys, wrong kinds, names that there are not.
func TestEditorsMarkWhatTheParserRefuses(t *testing.T) {
	s, n := schema(t), 0
	for _, test := range mistakes {
		if !inForm(test.want) {
			continue
		}
		n++
		if valid(s, change(t, test.old, test.new)) == nil {
			t.Errorf("%s: an editor says nothing, the parser: %s", test.name, test.want)
		}
	}
	if n < 30 {
		t.Errorf("%d mistakes are in the form", n)
	}
	for _, key := range []string{"replicaset", "rs", "ReplicaSet", "replicasets.apps"} {
		if err := valid(s, strings.Replace(good, "scale: {replicaset: web, replicas", "scale: {"+key+": web, replicas", 1)); err != nil {
			t.Error(err)
		}
	}
}
