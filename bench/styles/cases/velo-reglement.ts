import { type DocumentCases, fact } from '../case.ts'

const trips = "{{En 2023, 2,3 millions de trajets ont été effectués, soit 18 % de plus qu'en 2022}}"

export const veloReglement: DocumentCases = {
  file: 'velo-reglement.txt',
  kind: 'policy and FAQ',
  language: 'fr',
  isAside: false,
  about: 'Que prévoit le règlement de Vélorive ?',
  facts: [
    fact(
      'Combien coûte un abonnement ?',
      "L'abonnement coûte 39 € par an ou 6,50 € par mois.",
      "L'abonnement annuel coûte 39 € et l'abonnement mensuel 6,50 €.",
      "L'abonnement annuel coûte 39 € et l'abonnement mensuel coûte 6,50 €.",
      ["L'abonnement annuel coûte 39 €", "l'abonnement mensuel 6,50 €"],
    ),
    fact(
      'Quelle réduction ont les étudiants ?',
      "Les étudiants ont 40 % de réduction sur l'abonnement annuel.",
      "Les étudiants bénéficient d'une réduction de 40 % sur l'abonnement annuel.",
      "Les étudiants bénéficient de 40 % de réduction sur l'abonnement annuel.",
      ["Les étudiants bénéficient d'une réduction", "40 % sur l'abonnement annuel"],
    ),
    fact(
      'Le casque est-il obligatoire ?',
      "Le casque est recommandé mais n'est pas obligatoire.",
      "Le port du casque est recommandé, mais il n'est pas obligatoire.",
      "Le port du casque est recommandé, mais n'est pas obligatoire.",
      ['Le port du casque est recommandé', "il n'est pas obligatoire"],
    ),
    fact(
      'Quel est le dépôt de garantie ?',
      "Il faut verser un dépôt de garantie de 150 € à l'inscription.",
      "Un dépôt de garantie de 150 € est demandé à l'inscription.",
      "Un dépôt de garantie de 150 € est exigé à l'inscription.",
      ['Un dépôt de garantie de 150 €', "demandé à l'inscription"],
    ),
  ],
  table: {
    question: 'Quels sont les tarifs ?',
    header: '| Tarif | Prix |\n|---|---|',
    rows: [
      ['Abonnement annuel | 39 €', "L'abonnement annuel coûte 39 €"],
      [
        'Supplément vélo électrique | 0,80 € par trajet',
        'Pour un vélo électrique, un supplément de 0,80 € est perçu par trajet',
      ],
    ],
  },
  truths: [
    {
      style: 'number of another locale',
      question: 'Wie viele Fahrräder hat Vélorive?',
      draft:
        'Vélorive hat 1.850 Fahrräder an 142 Stationen.{{Le service compte 1 850 vélos, dont 620 à assistance électrique, répartis sur 142 stations}}',
    },
    {
      style: 'yes first',
      question: 'Les mineurs peuvent-ils utiliser le service ?',
      draft:
        'Oui. Les mineurs doivent toutefois présenter une autorisation parentale.{{Les mineurs doivent présenter une autorisation parentale}}',
      free: ['Oui.'],
    },
    {
      style: 'no first',
      question: 'Le casque est-il obligatoire ?',
      draft:
        "Non, le port du casque n'est pas obligatoire.{{Le port du casque est recommandé, mais il n'est pas obligatoire}}",
    },
    {
      style: 'what the passages do not say',
      question: 'Quel est le salaire de la directrice ?',
      draft:
        'Claire Aubanel dirige le service depuis mars 2020.{{Claire Aubanel dirige le service depuis mars 2020}} Les passages ne précisent pas son salaire.',
      free: ['Les passages ne précisent pas son salaire.'],
    },
    {
      style: 'date reformatted',
      question: 'Quand la station de la gare a-t-elle été agrandie ?',
      draft:
        'La station de la gare a été agrandie le 09/10/2023.{{Le 9 octobre 2023, la station de la gare a été agrandie à 60 places}}',
    },
    {
      style: 'rounded number',
      question: 'Combien de trajets en 2023 ?',
      draft: `Plus de deux millions de trajets ont été effectués en 2023.${trips}`,
    },
    {
      style: 'according to the report',
      question: 'De combien les trajets ont-ils augmenté ?',
      draft: `Selon le règlement, le nombre de trajets a augmenté de 18 % par rapport à 2022.${trips}`,
    },
    {
      style: 'difference',
      question: 'De combien les vols ont-ils diminué ?',
      draft: 'Il y a eu 107 vols de moins (312 − 205).{{Le nombre de vols a diminué de 312 à 205}}',
    },
    {
      style: 'derived comparison',
      question: 'Y a-t-il eu moins de vols ?',
      draft: 'Il y a eu moins de vols qu’avant.{{Le nombre de vols a diminué de 312 à 205}}',
    },
    {
      style: 'number spelt out',
      question: 'Dans quel délai faut-il déposer plainte ?',
      draft:
        "En cas de vol, il faut porter plainte sous quarante-huit heures.{{En cas de vol, l'usager doit déposer plainte dans un délai de 48 heures}}",
    },
    {
      style: 'one word',
      question: 'Qui dirige le service ?',
      draft: 'Claire Aubanel.{{Claire Aubanel dirige le service depuis mars 2020}}',
    },
    {
      style: 'organisation for "we"',
      question: 'Qui exploite le service ?',
      draft:
        'Vélorive est exploité par la régie des transports de Montclair.{{Vélorive est exploité par la régie des transports de Montclair}}',
    },
    {
      style: 'hedge',
      question: 'Quand répond le service clientèle ?',
      draft:
        'En principe, le service clientèle répond sous 15 jours ouvrés.{{qui répond dans un délai de 15 jours ouvrés}}',
    },
    {
      style: 'answer in another language',
      question: 'What does an annual subscription cost?',
      draft: "An annual subscription costs €39.{{L'abonnement annuel coûte 39 €}}",
    },
    {
      style: 'answer in another language',
      question: 'Wie alt muss man sein?',
      draft: "Man muss mindestens 14 Jahre alt sein.{{Le service est réservé aux personnes âgées d'au moins 14 ans}}",
    },
  ],
  lies: [
    {
      class: 'negation',
      question: 'Le casque est-il obligatoire ?',
      draft: "Le port du casque est obligatoire.{{Le port du casque est recommandé, mais il n'est pas obligatoire}}",
    },
    {
      class: 'direction',
      question: 'Comment les vols ont-ils évolué ?',
      draft: 'Le nombre de vols a augmenté de 312 à 205.{{Le nombre de vols a diminué de 312 à 205}}',
    },
    {
      class: 'swapped order',
      question: 'Comment les vols ont-ils évolué ?',
      draft: 'Le nombre de vols est passé de 205 à 312.{{Le nombre de vols a diminué de 312 à 205}}',
    },
    {
      class: 'other unit',
      question: 'Dans quel délai faut-il porter plainte ?',
      draft:
        "L'usager doit déposer plainte dans un délai de 48 jours.{{l'usager doit déposer plainte dans un délai de 48 heures}}",
    },
    {
      class: 'wrong month',
      question: 'Quand la station a-t-elle été agrandie ?',
      draft:
        'La station de la gare a été agrandie le 9 novembre 2023.{{Le 9 octobre 2023, la station de la gare a été agrandie à 60 places}}',
    },
    {
      class: 'swapped names',
      question: 'Combien coûte un mois ?',
      draft: "L'abonnement mensuel coûte 39 €.{{L'abonnement annuel coûte 39 € et l'abonnement mensuel 6,50 €}}",
    },
    {
      class: 'wrong thing counted',
      question: 'Combien de stations ?',
      draft:
        'Le service compte 620 stations.{{Le service compte 1 850 vélos, dont 620 à assistance électrique, répartis sur 142 stations}}',
    },
    {
      class: 'missing scale',
      question: 'Combien de trajets en 2023 ?',
      draft: `En 2023, 2,3 trajets ont été effectués.${trips}`,
    },
    {
      class: 'too general',
      question: 'Qui a une réduction ?',
      draft:
        "Tous les usagers bénéficient d'une réduction de 40 %.{{Les étudiants bénéficient d'une réduction de 40 % sur l'abonnement annuel}}",
    },
    {
      class: 'bound turned',
      question: 'À quel âge ?',
      draft:
        "Le service est réservé aux personnes âgées d'au plus 14 ans.{{Le service est réservé aux personnes âgées d'au moins 14 ans}}",
    },
    {
      class: 'other subject',
      question: 'Qui dirige le Vélib ?',
      draft: 'Claire Aubanel dirige Vélib depuis mars 2020.{{Claire Aubanel dirige le service depuis mars 2020}}',
    },
    {
      class: 'other verb',
      question: 'Que fait-on du dépôt ?',
      draft:
        "Un dépôt de 150 € est remboursé à l'inscription.{{Un dépôt de garantie de 150 € est demandé à l'inscription}}",
    },
    {
      class: 'invented number',
      question: 'Quelle est la durée moyenne ?',
      draft: "La durée moyenne d'un trajet était de 27 minutes.{{La durée moyenne d'un trajet était de 17 minutes}}",
    },
    {
      class: 'claim from nowhere',
      question: 'Peut-on transporter un enfant ?',
      draft:
        "Le transport d'enfants est autorisé dans un siège.{{Les mineurs doivent présenter une autorisation parentale}}",
    },
    {
      class: 'absence though it stands there',
      question: 'Quel est le dépôt de garantie ?',
      draft: 'Le règlement ne précise pas le montant du dépôt de garantie.',
    },
  ],
}
