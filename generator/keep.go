package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"kubewalk/generator/build/releases"
	"kubewalk/generator/sitebuild"
)

// keep writes the demos of the book, as they are now, as an archive that later builds unpack: DATE-ID.zip. What is kept already is not written again.
func keep(ctx context.Context, p *place, f flags, _ []string, out io.Writer) error {
	o := options(p, f)
	o.Warned = warnings(out)
	date, err := sourceDate()
	if err != nil {
		return err
	}
	if date.IsZero() {
		date = time.Now().UTC()
	}
	tree, err := sitebuild.Build(ctx, o, new(sitebuild.Cache))
	if err != nil {
		return err
	}
	release, files, err := releases.Keep(tree, sitePrefix(f.base), languagesOf(f.content), date.Format(time.DateOnly))
	if err != nil {
		return err
	}
	if release == nil {
		return errors.New("the book has no demos, so there is nothing to keep")
	}
	dir := cmp.Or(f.out, filepath.Join(f.content, releases.Folder))
	if known, _ := filepath.Glob(filepath.Join(dir, "*-"+release.ID+".zip")); len(known) > 0 {
		fmt.Fprintf(out, "%s is this release already\n", filepath.ToSlash(known[0]))
		return nil
	}
	var archive bytes.Buffer
	if err := release.Write(&archive, files); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	full := filepath.Join(dir, release.Date+"-"+release.ID+".zip")
	if err := os.WriteFile(full, archive.Bytes(), 0o644); err != nil {
		return err
	}
	unpacked := 0
	for _, name := range files.Paths() {
		data, _ := files.Get(name)
		unpacked += len(data)
	}
	fmt.Fprintf(out, "%s (%.1f MB; on a site %d files, %.1f MB)\n", filepath.ToSlash(full), float64(archive.Len())/1e6, len(files.Paths()), float64(unpacked)/1e6)
	return nil
}
