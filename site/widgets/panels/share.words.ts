// What the page says of taking something along.

import { inLanguage } from "../../words/language";
import table from "../../words/share.json";
import type { Place } from "./snippets";

export interface ShareWords {
  share: string;
  link: string;
  linkAbout: string;
  script: string;
  scriptAbout: string;
  moment: string;
  momentAbout: string;
  picture: string;
  pictureAbout: string;
  video: string;
  videoAbout: string;
  noVideo: string;
  drawing: string; // {seconds}, {percent}
  cancelled: string;
  notFilmed: string;
  saved: string;
  notSaved: string;
  copied: string;
  inAddressBar: string;
  byHand: string;
  scriptTitle: string; // {title}, {world}, {at}, {seed}
  none: string;
  noNode: string;
  useIn: string;
  useInAbout: string;
  copySnippet: string;
  snippet: string; // its text's name
  qr: string;
  qrAlt: string;
  places: Record<Place, string>;
  /** What to do with the text there. */
  how: Record<Place, string>;
}

export const shareWordsOf = (lang: string) => inLanguage<ShareWords>("share", table, lang);
