// A text of metadata in which web addresses are links.

import { Outside } from "./outside.tsx";

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/;

export function LinkedText({ text }: { text: string }) {
  return (
    <>
      {text.split(ADDRESS).map((piece, index) =>
        index % 2 ? (
          <Outside key={index} href={piece}>
            {piece}
          </Outside>
        ) : (
          piece
        ),
      )}
    </>
  );
}
