package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"kubewalk/generator/problem"
	"kubewalk/generator/publish/hosting"
)

// hostSite prints a web server's configuration for the site that a build wrote.
func hostSite(_ context.Context, _ *place, f flags, arguments []string, out io.Writer) error {
	servers := hosting.Servers()
	if len(arguments) != 1 {
		return misuse(fmt.Sprintf("hosting is for one server, not %d: kubewalk hosting nginx --base-url https://example.org (%s)", len(arguments),
			problem.DidYouMean("", servers)))
	}
	if !slices.Contains(servers, arguments[0]) {
		return misuse(fmt.Sprintf("hosting knows no server %q (%s; see kubewalk help hosting)", arguments[0], problem.DidYouMean(arguments[0], servers)))
	}
	site, err := hosting.Read(cmp.Or(f.out, "public"), f.base)
	if err != nil {
		return err
	}
	site.Folder = cmp.Or(f.root, site.Folder)
	_, err = io.WriteString(out, site.Format(arguments[0]))
	return err
}
